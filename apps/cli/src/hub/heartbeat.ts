import { LeaseName } from '@flotilla/api-types';
import { type KubeClient, KubeError } from '@flotilla/kube';
import { leases } from '@flotilla/kube/kinds';

/** When the agent of a cluster last renewed its lease. A user who may read works is not always allowed to read leases. */
export async function heartbeatOf(client: KubeClient, cluster: string): Promise<string | undefined> {
  try {
    return (await client.resource(leases).find(`${cluster}/${LeaseName.ManagedCluster}`))?.spec?.renewTime;
  } catch (error) {
    if (KubeError.is(error, 'Forbidden')) return undefined;
    throw error;
  }
}

/** The same of all clusters, by their names. Empty for a user who may not read leases. */
export async function heartbeats(client: KubeClient): Promise<ReadonlyMap<string, string>> {
  try {
    const { items } = await client
      .resource(leases)
      .list({ fieldSelector: `metadata.name=${LeaseName.ManagedCluster}` });
    return new Map(items.map(({ metadata, spec }) => [metadata?.namespace ?? '', spec?.renewTime ?? '']));
  } catch (error) {
    if (KubeError.is(error, 'Forbidden')) return new Map();
    throw error;
  }
}
