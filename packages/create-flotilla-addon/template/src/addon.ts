import { config, defineAddon, health } from '@flotilla/addon-sdk';
import type { Deployment } from '@flotilla/kube/kinds';

/** What each cluster that has the add-on gets. */
export const addon = defineAddon({
  name: 'my-addon',
  // Administrators choose images, nodes, proxies and variables by an AddOnDeploymentConfig: for all clusters, for those of a
  // placement, or for one.
  configs: { deployment: config.deployment() },
  installNamespace: ({ configs }) => configs.deployment?.spec.agentInstallNamespace,
  // Available while the Deployment is.
  health: health.workloads(),
  render(context) {
    const { GREETING = 'Hello' } = context.variables();
    const labels = { app: 'my-addon-agent' };
    const agent: Deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'my-addon-agent', namespace: context.installNamespace, labels },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            ...context.podDefaults(),
            containers: [
              {
                name: 'agent',
                image: context.image('busybox:1.37'),
                command: ['sh', '-c', 'while true; do echo "$GREETING from $CLUSTER_NAME"; sleep 60; done'],
                env: [
                  { name: 'GREETING', value: GREETING },
                  { name: 'CLUSTER_NAME', value: context.clusterName },
                  ...context.proxyEnv(),
                ],
              },
            ],
          },
        },
      },
    };
    return [agent];
  },
});
