import { defineAddon, health } from '@flotilla/addon-sdk';
import { startFleet } from '@flotilla/fleet';
import { deployments } from '@flotilla/kube/kinds';

const labels = { app: 'greeter' };
const containers = [{ name: 'agent', image: 'busybox', command: ['sleep', '1000000'] }];

const greeter = defineAddon({
  name: 'greeter',
  health: health.workloads(),
  render: ({ installNamespace: namespace }) => [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'greeter', namespace },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    },
  ],
});

/** Starts a hub and a cluster, enables an add-on there, and reads what its agent has become on the cluster. */
export async function readyReplicas(): Promise<number | undefined> {
  await using fleet = await startFleet({ clusters: ['edge1'], addons: [greeter] });
  await fleet.enable('greeter');
  await fleet.whenAvailable('greeter');
  const agent = await fleet.managed('edge1').resource(deployments).get('open-cluster-management-agent-addon/greeter');
  return agent.status?.readyReplicas;
}
