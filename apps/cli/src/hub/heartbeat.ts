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
