import { LeaseName, type ManagedCluster } from '@flotilla/api-types';
import { type CachedResource, isAbsence, keyOf, type Logger } from '@flotilla/kube';
import type { Lease, Secret } from '@flotilla/kube/kinds';
import { clusterModeLabel, isPushed, memberSecretKey, pushedRenewalAnnotation } from '@flotilla/registration-core/push';

/** What a cluster is released from. */
export interface ReleaseOptions {
  readonly clusters: CachedResource<ManagedCluster>;
  readonly secrets: CachedResource<Secret>;
  readonly leases: CachedResource<Lease>;
  readonly log: Logger;
}

const forgetRenewal = { metadata: { annotations: { [pushedRenewalAnnotation]: null } } };

/** Marks a cluster as pulled, because an agent on it sends heartbeats now, and deletes the access to it, which the hub needs no more. */
export async function releaseMember({ clusters, secrets, leases, log }: ReleaseOptions, name: string): Promise<void> {
  const cluster = clusters.get(name);
  if (!cluster || !isPushed(cluster)) return;
  log.info('an agent on the cluster has taken over: the hub does not push to it any more', { cluster: name });
  const { uid } = cluster.metadata ?? {};
  const body = { metadata: { uid, labels: { [clusterModeLabel]: null } } };
  await clusters.patch(name, { type: 'merge', body });
  // Otherwise a cluster that is pushed again would seem to have an agent.
  const lease = leases.get(`${name}/${LeaseName.ManagedCluster}`);
  if (lease) await leases.patch(keyOf(lease), { type: 'merge', body: forgetRenewal });
  await secrets.delete(memberSecretKey(name)).catch((error: unknown) => {
    if (!isAbsence(error)) throw error;
  });
}
