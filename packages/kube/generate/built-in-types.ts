// Writes src/kinds/built-in-types.ts: the built-in kinds and what they are made of, as they are in JSON, from the models of
// @kubernetes/client-node. Run: npm run -w packages/kube generate:types
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The models of the kinds that the package offers, and of the bodies of their subresources. */
const roots = [
  ...['V1Namespace', 'V1Secret', 'V1ConfigMap', 'V1ServiceAccount', 'V1Service', 'V1Endpoints', 'V1Pod', 'V1Node'],
  ...['V1PersistentVolume', 'V1PersistentVolumeClaim', 'V1ReplicationController', 'V1ResourceQuota', 'V1LimitRange'],
  ...['CoreV1Event', 'EventsV1Event', 'V1Deployment', 'V1ReplicaSet', 'V1StatefulSet', 'V1DaemonSet'],
  ...['V1ControllerRevision', 'V1Job', 'V1CronJob', 'V1Role', 'V1RoleBinding', 'V1ClusterRole', 'V1ClusterRoleBinding'],
  ...['V1CertificateSigningRequest', 'V1Lease', 'V1CustomResourceDefinition', 'V1APIService'],
  ...['V1MutatingWebhookConfiguration', 'V1ValidatingWebhookConfiguration', 'V1ValidatingAdmissionPolicy'],
  ...['V1ValidatingAdmissionPolicyBinding', 'V1NetworkPolicy', 'V1Ingress', 'V1IngressClass', 'V1PodDisruptionBudget'],
  ...['V1PriorityClass', 'V1StorageClass', 'V2HorizontalPodAutoscaler', 'V1EndpointSlice', 'V1TokenReview'],
  ...['V1SelfSubjectReview', 'V1SubjectAccessReview', 'V1SelfSubjectAccessReview', 'V1SelfSubjectRulesReview'],
  ...['V1LocalSubjectAccessReview', 'AuthenticationV1TokenRequest', 'V1Eviction', 'V1Scale'],
];

/** Models that other packages have, or that are not objects in JSON. */
const known: Readonly<Record<string, string>> = {
  V1ObjectMeta: 'ObjectMeta',
  V1MicroTime: 'string',
  IntOrString: 'number | string',
  Date: 'string',
  any: 'unknown',
};

const models = join(dirname(fileURLToPath(import.meta.resolve('@kubernetes/client-node'))), 'gen/models');
const output = join(import.meta.dirname, '../src/kinds/built-in-types.ts');

interface Field {
  readonly name: string;
  readonly optional: boolean;
  readonly type: string;
}

/** Each model that the roots reach, with its fields. */
function reachable(): Map<string, Field[]> {
  const found = new Map<string, Field[]>();
  const open = [...roots];
  for (let model = open.pop(); model !== undefined; model = open.pop()) {
    if (found.has(model) || model in known) continue;
    const fields = fieldsOf(model);
    found.set(model, fields);
    open.push(...fields.flatMap(({ type }) => type.match(/\w+/g) ?? []).filter(isModel));
  }
  return found;
}

const isModel = (word: string): boolean => existsSync(join(models, `${word}.d.ts`));

function fieldsOf(model: string): Field[] {
  const text = readFileSync(join(models, `${model}.d.ts`), 'utf8');
  const lines = text.matchAll(/^ {4}'([^']+)'(\?)?: (\{\s*\[key: string\]: [^;]+;\s*\}|[^;]+);/gm);
  return [...lines].map(([, name = '', optional, type = '']) => ({
    name: nameInJson(name),
    optional: optional !== undefined,
    type: type.replace(/\s+/g, ' '),
  }));
}

/** The models escape reserved words (`_from`) and dashes (`x_kubernetes_list_type`); JSON does not. */
const nameInJson = (name: string): string =>
  name.startsWith('x_kubernetes_') ? name.replaceAll('_', '-') : name.replace(/^_/, '');

/** `V1Pod` → `Pod`; of two that would be called alike, those with a group keep it: `CoreV1Event` → `CoreEvent`. */
function namesOf(all: Iterable<string>): Map<string, string> {
  const preferred: Readonly<Record<string, string>> = { EventsV1Event: 'Event', CoreV1Event: 'CoreEvent' };
  const names = new Map<string, string>();
  const taken = new Set(Object.values(preferred));
  for (const model of [...all].sort((a, b) => groupOf(a).length - groupOf(b).length || a.localeCompare(b))) {
    const short = model.replace(/^[A-Z][a-z]*?V\d+(?=[A-Z])|^V\d+/, '');
    const name = preferred[model] ?? (taken.has(short) ? groupOf(model) + short : short);
    taken.add(name);
    names.set(model, name);
  }
  return names;
}

const groupOf = (model: string): string => /^([A-Z][a-z]+)V\d+[A-Z]/.exec(model)?.[1] ?? '';

function typeOf(type: string, names: ReadonlyMap<string, string>): string {
  const renamed = type.replace(/\w+/g, (word) => names.get(word) ?? known[word] ?? word);
  return renamed.replace(/Array<([\w| ]+)>/g, (_, item: string) => (item.includes('|') ? `(${item})[]` : `${item}[]`));
}

const found = reachable();
const names = namesOf(found.keys());
const interfaces = [...found]
  .map(([model, fields]) => ({ name: names.get(model) ?? model, fields }))
  .sort((a, b) => a.name.localeCompare(b.name))
  .map(({ name, fields }) => {
    const lines = fields.map(
      (field) => `  '${field.name}'${field.optional ? '?' : ''}: ${typeOf(field.type, names)};\n`,
    );
    // Aliases and not interfaces: only those can be passed where an object of any fields is expected.
    return `export type ${name} = {\n${lines.join('')}};\n`;
  });
writeFileSync(
  output,
  `// Written by generate/built-in-types.ts; do not edit.\nimport type { ObjectMeta } from '@flotilla/schema';\n\n${interfaces.join('\n')}`,
);
execFileSync('biome', ['check', '--write', output], { stdio: 'inherit' });
console.log(`${interfaces.length} types`);
