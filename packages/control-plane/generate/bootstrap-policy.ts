// Writes src/authz/bootstrap-policy.json from a fresh API server with RBAC: the roles and bindings every cluster starts with.
//
//   kubectl proxy --port 8001 & node generate/bootstrap-policy.ts http://127.0.0.1:8001
import { writeFileSync } from 'node:fs';

/**
 * Roles that belong to components which an embedded control plane does not have: they would only lengthen every list.
 * What is kept is kept whole, also rules about resources that are not served, so that who holds a role may grant the same as elsewhere.
 */
const omitted = [
  /^system:controller:/,
  /^system:kube-/,
  /^system:(heapster|monitoring|volume-scheduler|node-problem-detector|node-proxier|persistent-volume-provisioner)$/,
  /^system:kubelet-api-admin$/,
  /^system:node$/,
];

interface PolicyObject {
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  rules?: object[] | null;
  aggregationRule?: object;
  roleRef?: { name: string };
  subjects?: object[];
}

const server = process.argv[2];
if (!server) throw new Error('Say where the API server is: node generate/bootstrap-policy.ts http://127.0.0.1:8001');

async function list(plural: string): Promise<PolicyObject[]> {
  const selector = encodeURIComponent('kubernetes.io/bootstrapping=rbac-defaults');
  const response = await fetch(`${server}/apis/rbac.authorization.k8s.io/v1/${plural}?labelSelector=${selector}`);
  if (!response.ok) throw new Error(`${plural} answered ${response.status}: ${await response.text()}`);
  const { items } = (await response.json()) as { items: PolicyObject[] };
  return items;
}

const isKept = (role: string): boolean => !omitted.some((pattern) => pattern.test(role));

/** Without what a server adds when it stores: and without gathered rules, which every control plane gathers itself. */
const essence = ({ metadata, rules, aggregationRule, roleRef, subjects }: PolicyObject): object => ({
  metadata: { name: metadata.name, labels: metadata.labels, annotations: metadata.annotations },
  ...(aggregationRule ? { aggregationRule } : rules && { rules }),
  ...(roleRef && { roleRef }),
  ...(subjects && { subjects }),
});

const clusterRoles = (await list('clusterroles')).filter(({ metadata }) => isKept(metadata.name));
const bindings = (await list('clusterrolebindings')).filter(({ roleRef }) => isKept(roleRef?.name ?? ''));

// One object per line: small, and a change of one shows as one line in a diff.
const lines = (objects: PolicyObject[]): string => objects.map((object) => JSON.stringify(essence(object))).join(',\n');
const output = `{
"clusterRoles": [
${lines(clusterRoles)}
],
"clusterRoleBindings": [
${lines(bindings)}
]
}
`;
writeFileSync(new URL('../src/authz/bootstrap-policy.json', import.meta.url), output);
process.stdout.write(`${clusterRoles.length} roles, ${bindings.length} bindings, ${output.length} bytes\n`);
