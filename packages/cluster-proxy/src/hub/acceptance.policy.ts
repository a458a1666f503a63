import type { ManagedCluster } from '@flotilla/api-types';
import { isDeleting, KubeError } from '@flotilla/kube';

/** Why a cluster is not reached through the hub. Undefined for one that the hub has accepted and that stays. */
export function refusalOf(name: string, cluster: ManagedCluster | undefined): KubeError | undefined {
  if (!cluster) return new KubeError('NotFound', `there is no managed cluster ${name}`, { status: 404 });
  // Its finalizers may take long, and only users reach it through the tunnel.
  if (isDeleting(cluster)) return forbidden(`managed cluster ${name} is being deleted, and cannot be reached any more`);
  if (cluster.spec?.hubAcceptsClient !== true) return forbidden(`the hub has not accepted cluster ${name}`);
  return undefined;
}

const forbidden = (message: string): KubeError => new KubeError('Forbidden', message, { status: 403 });
