import { LeaseName, type ManagedCluster } from '@flotilla/api-types';
import { type CachedResource, isAbsence, keyOf, type Logger } from '@flotilla/kube';
import type { Lease, Secret } from '@flotilla/kube/kinds';
import { clusterModeLabel, isPushed, memberSecretKey, pushedRenewalAnnotation } from '@flotilla/registration-core/push';

/** Marks a cluster as pulled, because an agent on it sends heartbeats now. */
export async function releaseMember(
  { clusters, log }: { readonly clusters: CachedResource<ManagedCluster>; readonly log: Logger },
  name: string,
): Promise<void> {
  const cluster = clusters.get(name);
  if (!cluster || !isPushed(cluster)) return;
  log.info('an agent on the cluster has taken over: the hub does not push to it any more', { cluster: name });
  const { uid } = cluster.metadata ?? {};
  const body = { metadata: { uid, labels: { [clusterModeLabel]: null } } };
  await clusters.patch(name, { type: 'merge', body });
}

const forgetRenewal = { metadata: { annotations: { [pushedRenewalAnnotation]: null } } };

/** Whether push-agents has sent heartbeats for the cluster, and has not been released from it. */
export const wasPushed = (lease: Lease | undefined): boolean =>
  lease?.metadata?.annotations?.[pushedRenewalAnnotation] !== undefined;

/**
 * Deletes the access to a cluster that is not pushed any more, which the hub needs no more. The annotation goes last: while it is there,
 * this is not done. It must go: a cluster that is pushed again would seem to have an agent.
 */
export async function forgetMember(
  { secrets, leases }: { readonly secrets: CachedResource<Secret>; readonly leases: CachedResource<Lease> },
  name: string,
): Promise<void> {
  const lease = leases.get(`${name}/${LeaseName.ManagedCluster}`);
  if (!lease || !wasPushed(lease)) return;
  await ignoreAbsence(secrets.delete(memberSecretKey(name)));
  await ignoreAbsence(leases.patch(keyOf(lease), { type: 'merge', body: forgetRenewal }));
}

const ignoreAbsence = (deleted: Promise<unknown>): Promise<unknown> =>
  deleted.catch((error: unknown) => {
    if (!isAbsence(error)) throw error;
  });
