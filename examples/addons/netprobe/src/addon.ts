import { config, defineAddon, health, kubeClient } from '@flotilla/addon-sdk';
import { addOnPlacementScores } from '@flotilla/api-types';
import type { Deployment, ServiceAccount } from '@flotilla/kube/kinds';
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
                args: ['agent', '--hub-kubeconfig=/var/run/hub/kubeconfig', `--cluster-name=${clusterName}`],
                env: [{ name: 'TARGETS', value: TARGETS }, ...context.proxyEnv()],
                volumeMounts: [{ name: 'hub', mountPath: '/var/run/hub', readOnly: true }],
              },
            ],
            volumes: [{ name: 'hub', secret: { secretName: secrets.hubKubeconfig } }],
          },
        },
      },
    };
    return [account, agent];
  },
});
