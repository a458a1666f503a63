import { config, defineAddon, health, kubeClient } from '@flotilla/addon-sdk';
import { addOnPlacementScores } from '@flotilla/api-types';
import type { Deployment, Role, RoleBinding, ServiceAccount } from '@flotilla/kube/kinds';
import { parseTargets } from './targets.ts';

const { group, plural: scores } = addOnPlacementScores;
const labels = { app: 'netprobe-agent' };

/**
 * Measures on each cluster how fast some addresses are reached, and reports it to the hub as a score. The variable TARGETS of an
 * AddOnDeploymentConfig names the addresses: `example.com:443,10.0.0.1:5432`.
 */
export const netprobe = defineAddon({
  name: 'netprobe',
  configs: { deployment: config.deployment() },
  installNamespace: ({ configs }) => configs.deployment?.spec.agentInstallNamespace,
  registration: [
    kubeClient({
      // In the namespace of its own cluster, and nothing else.
      permissions: (agent) =>
        agent.inClusterNamespace([
          { apiGroups: [group], resources: [scores], verbs: ['get', 'create'] },
          { apiGroups: [group], resources: [`${scores}/status`], verbs: ['patch'] },
        ]),
    }),
  ],
  // Known at once; the Lease, which every agent of the SDK renews, is read twice a minute.
  health: health.workloads(),
  render(context) {
    const { installNamespace: namespace, clusterName, secrets } = context;
    const { TARGETS = '' } = context.variables();
    // A mistake is a condition of the add-on on this cluster, not a pod that crashes there.
    parseTargets(TARGETS);
    const metadata = { name: 'netprobe-agent', namespace };
    const account: ServiceAccount = { apiVersion: 'v1', kind: 'ServiceAccount', metadata };
    const agent: Deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...metadata, labels },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            ...context.podDefaults(),
            serviceAccountName: metadata.name,
            containers: [
              {
                name: 'agent',
                image: context.image('flotilla/netprobe:0.0.0'),
                args: [
                  'agent',
                  '--hub-kubeconfig=/var/run/hub/kubeconfig',
                  `--cluster-name=${clusterName}`,
                  `--addon-namespace=${namespace}`,
                ],
                env: [{ name: 'TARGETS', value: TARGETS }, ...context.proxyEnv()],
                volumeMounts: [{ name: 'hub', mountPath: '/var/run/hub', readOnly: true }],
              },
            ],
            volumes: [{ name: 'hub', secret: { secretName: secrets.hubKubeconfig } }],
          },
        },
      },
    };
    return [account, leaseRole(namespace), leaseBinding(namespace), agent];
  },
});

const rbac = 'rbac.authorization.k8s.io';

/** The agent renews a Lease of this name while it is well. */
const leaseRole = (namespace: string): Role => ({
  apiVersion: `${rbac}/v1`,
  kind: 'Role',
  metadata: { name: 'netprobe-agent', namespace },
  rules: [
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], resourceNames: ['netprobe'], verbs: ['patch'] },
  ],
});

const leaseBinding = (namespace: string): RoleBinding => ({
  apiVersion: `${rbac}/v1`,
  kind: 'RoleBinding',
  metadata: { name: 'netprobe-agent', namespace },
  roleRef: { apiGroup: rbac, kind: 'Role', name: 'netprobe-agent' },
  subjects: [{ kind: 'ServiceAccount', name: 'netprobe-agent', namespace }],
});
