import { managedClusters } from '@flotilla/api-types';
import type { administrator } from '@flotilla/e2e';
import type { KubeClient } from '@flotilla/kube';

/** When a hub works: it accepts a cluster and removes it again, which also warms it up. */
export async function hubIsReady(client: KubeClient, admin: ReturnType<typeof administrator>): Promise<void> {
  const clusters = client.resource(managedClusters);
  const name = 'ready';
  await clusters.create({ metadata: { name }, spec: { hubAcceptsClient: true } });
  await admin.condition(name, 'HubAcceptedManagedCluster', 'True');
  await clusters.delete(name);
  await admin.seen.gone(managedClusters, name);
}
