import { managedClusters } from '@flotilla/api-types';
import type { administrator } from '@flotilla/e2e';
import type { Cluster } from '@flotilla/envtest';
import { leases, secrets } from '@flotilla/kube/kinds';

const namespace = 'open-cluster-management-agent';

/** The next agent is a new one: no identity, and no lease that a dead one holds. */
export async function forgetAgent(
  name: string,
  { hub, managed, admin }: { hub: Cluster; managed: Cluster; admin: ReturnType<typeof administrator> },
): Promise<void> {
  await managed.client.resource(secrets).delete(`${namespace}/hub-kubeconfig-secret`);
  const held = managed.client.resource(leases);
  for (const { metadata } of (await held.list({ namespace })).items)
    await held.delete(`${namespace}/${metadata?.name}`);
  await hub.client.resource(managedClusters).delete(name);
  await admin.seen.gone(managedClusters, name);
}
