import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GuideShell, startGuideShell } from './guide-shell.ts';
import { claimOfAws, namedConfigs, offer, placement, template } from './ocm-addons.ts';

/** Parts of the guide "Add-ons" of Open Cluster Management that cannot be run here, with the reason. */
const notRun: [block: string, reason: string][] = [
  [
    'automatic installation by an add-on of its own program',
    'needs such a program; the suites of e2e/addons write one',
  ],
  [
    'minSuccessTime: 5m and progressDeadline: 10m',
    'take minutes; they are applied here, and e2e/addons/rollout.kube.ts waits for short ones',
  ],
  [
    'specHash: dcf88f5b…',
    'is the hash of a template that the guide does not print; the shape of the status is compared',
  ],
];

const onHub = '--context $CTX_HUB_CLUSTER';
const onManaged = '--context $CTX_MANAGED_CLUSTER';
const addOn = 'managedclusteraddons.v1alpha1.addon.open-cluster-management.io';
const status = `kubectl get ${addOn} helloworld -n cluster1 -o yaml ${onHub}`;

const strategy = (name: string, more = '') => `  installStrategy:
    type: Placements
    placements:
      - name: ${name}
        namespace: default
${more}`;

const progressive = `        configs:
          - group: addon.open-cluster-management.io
            resource: addondeploymentconfigs
            name: deploy-config
            namespace: open-cluster-management
        rolloutStrategy:
          type: Progressive
          progressive:
            mandatoryDecisionGroups:
              - groupName: "prod-canary-west"
              - groupName: "prod-canary-east"
            maxConcurrency: 25%
            minSuccessTime: 5m
            progressDeadline: 10m
            maxFailures: 2
`;

const managedClusterAddOn = (spec: string) => `apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ManagedClusterAddOn
metadata:
  name: helloworld
  namespace: cluster1
spec:
${spec}`;

const awsClusters = `  predicates:
    - requiredClusterSelector:
        claimSelector:
          matchExpressions:
            - key: platform.open-cluster-management.io
              operator: In
              values:
                - aws
`;

const hubOnly = `  predicates:
    - requiredClusterSelector:
        labelSelector:
          matchLabels:
            local-cluster: "true"
`;

const allButHub = `  predicates:
    - requiredClusterSelector:
        labelSelector:
          matchExpressions:
            - key: local-cluster
              operator: NotIn
              values:
                - "true"
  tolerations:
    - key: cluster.open-cluster-management.io/unreachable
      operator: Equal
    - key: cluster.open-cluster-management.io/unavailable
      operator: Equal
`;

describe('the guide of Open Cluster Management to add-ons', { timeout: 240_000 }, () => {
  let guide: GuideShell;
  const apply = async (text: string, context = onHub) => {
    await guide.file('applied.yaml', text);
    await guide.run(`kubectl apply -f applied.yaml ${context}`);
  };
  /** The agent of the add-on that the cluster runs says of which template and which configuration it is. */
  const agentSays = (text: string, namespace = 'open-cluster-management-agent-addon') =>
    guide.says(`kubectl logs -n ${namespace} deployment/helloworld-agent ${onManaged}`).toContain(text);
  const isAvailable = () =>
    guide.says(`kubectl get managedclusteraddon -A ${onHub}`).toMatch(/cluster1 +helloworld +True/);
  const isGone = () => guide.says(`kubectl get managedclusteraddon -A ${onHub}`).toContain('No resources found');

  beforeAll(async () => {
    guide = await startGuideShell();
    const out = await guide.run(`clusteradm init --wait ${onHub}`);
    const printed = out.split('\n').find((line) => line.trim().startsWith('clusteradm join')) ?? '';
    await guide.run(`${printed.replace('<cluster_name>', 'cluster1')} --wait ${onManaged}`);
    await guide.run(`clusteradm accept --clusters cluster1 --wait ${onHub}`);
    await apply(claimOfAws, onManaged);
    await guide.run(`clusteradm clusterset bind global --namespace default ${onHub}`);
    for (const name of ['default', 'override', 'cluster1']) {
      await apply(template(`${name}-addon-template`, name));
      await apply(namedConfigs(`${name}-deploy-config`, name));
    }
  }, 240_000);
  afterAll(() => guide?.[Symbol.asyncDispose]());

  it.skip.each(notRun)('%s: %s', () => {});

  it('an offer and an add-on of a cluster are listed, and deleting the offer deletes both', async () => {
    await apply(offer('', { isManaged: false }));
    await apply(managedClusterAddOn('  installNamespace: helloworld\n'));
    await guide
      .says(`kubectl get managedclusteraddon -A ${onHub}`)
      .toMatch(/NAMESPACE +NAME +AVAILABLE +DEGRADED +PROGRESSING\ncluster1 +helloworld/);
    expect(await guide.run(status)).toContain('installNamespace: helloworld');
    await guide.run(`kubectl delete clustermanagementaddon helloworld ${onHub}`);
    await isGone();
  });

  it('the default configurations are those of every cluster, also for clusteradm addon enable', async () => {
    await apply(offer('', { withDefaults: true }));
    await guide.run(`clusteradm addon enable --names helloworld --clusters cluster1 ${onHub}`);
    await isAvailable();
    await agentSays('default template, default configuration');
    const ofAgent = `kubectl -n open-cluster-management-agent-addon`;
    const [pod] = /helloworld-agent-\S+/.exec(await guide.run(`${ofAgent} get pod ${onManaged}`)) ?? [];
    expect(await guide.run(`${ofAgent} logs ${pod} ${onManaged}`)).toContain('default template');
    const supported = /supportedConfigs:(\s+- group: addon.open-cluster-management.io\s+resource: addon\w+){2}/;
    await guide.says(status).toMatch(supported);
    await guide.run(`clusteradm addon disable --names helloworld --clusters cluster1 ${onHub}`);
    await isGone();
  });

  it('a Placement with a claimSelector installs the add-on, and its configurations win over the defaults', async () => {
    await apply(placement('placement-aws', awsClusters));
    await apply(offer(strategy('placement-aws'), { withDefaults: true }));
    await isAvailable();
    await agentSays('default template, default configuration');
    const kinds = { 'deploy-config': 'addondeploymentconfigs', 'addon-template': 'addontemplates' };
    const configs = Object.entries(kinds).map(
      ([name, resource]) => `          - name: override-${name}
            namespace: open-cluster-management
            group: addon.open-cluster-management.io
            resource: ${resource}
`,
    );
    await apply(offer(strategy('placement-aws', `        configs:\n${configs.join('')}`), { withDefaults: true }));
    // Its configuration says agentInstallNamespace: "", so that the namespace of the template is kept.
    await agentSays('override template, override configuration', 'helloworld');
  });

  it('a Progressive rollout with mandatory groups reaches the clusters, also where no placement has such groups', async () => {
    await apply(namedConfigs('deploy-config', 'progressive'));
    await apply(offer(strategy('placement-aws', progressive), { withDefaults: true }));
    await agentSays('default template, progressive configuration');
    await guide.says(status).toContain('name: deploy-config');
  });

  it('the configurations of a cluster win over all others, and the status says which are in use', async () => {
    await apply(
      managedClusterAddOn(`  configs:
    - name: cluster1-deploy-config
      namespace: open-cluster-management
      group: addon.open-cluster-management.io
      resource: addondeploymentconfigs
    - name: cluster1-addon-template
      namespace: open-cluster-management
      group: addon.open-cluster-management.io
      resource: addontemplates
`),
    );
    await agentSays('cluster1 template, cluster1 configuration');
    // The guide gives the template a namespace, which its kind does not have: the status leaves it out.
    const hash = 'name: cluster1-addon-template\\s+specHash: \\w{64}';
    const parts = [
      new RegExp(`resource: addontemplates\\s+lastObservedGeneration: \\d+\\s+desiredConfig:\\s+${hash}`),
      new RegExp(`lastAppliedConfig:\\s+${hash}`),
      /desiredConfig:\s+namespace: open-cluster-management\s+name: cluster1-deploy-config/,
    ];
    for (const part of parts) await guide.says(status).toMatch(part);
  });

  it.each([
    ['the hub alone', hubOnly, 0],
    ['all clusters but the hub', allButHub, 1],
  ])('the Placement for %s', async (_, spec, selected) => {
    await apply(placement('recommended', spec));
    const decisions = guide.says(`kubectl get placement recommended -o yaml ${onHub}`);
    await decisions.toContain(`clusterCount: ${selected}`);
    await guide.run(`kubectl delete placement recommended ${onHub}`);
  });

  it('deleting the offer removes the agents from the clusters', async () => {
    await guide.run(`kubectl delete clustermanagementaddon helloworld ${onHub}`);
    await isGone();
    await guide
      .says(`kubectl -n open-cluster-management-agent-addon get pod ${onManaged}`)
      .toContain('No resources found');
  });
});
