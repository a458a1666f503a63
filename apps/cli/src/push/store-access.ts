import { LeaseName, type ManagedCluster, managedClusters } from '@flotilla/api-types';
import { isAbsence, type KubeClient, KubeError, keyOf } from '@flotilla/kube';
import { leases, namespaces, secrets } from '@flotilla/kube/kinds';
import { type MemberCredential, memberSecret, pushedRenewalAnnotation } from '@flotilla/registration-core/push';
import { clusterNamespace } from './pushed-cluster.ts';

/** Creates the ManagedCluster, or changes the one that is there, and returns it as the hub has it. */
export async function applyCluster(
  hub: KubeClient,
  wanted: ManagedCluster,
  options: { readonly dryRun?: boolean } = {},
): Promise<ManagedCluster> {
  const clusters = hub.resource(managedClusters);
  const found = await clusters.find(keyOf(wanted));
  if (!found) return clusters.create(wanted, options);
  const { metadata, spec } = wanted;
  const { name: _name, ...changed } = metadata ?? {};
  return clusters.patch(keyOf(wanted), { type: 'merge', body: { metadata: changed, spec } }, options);
}

/** Stores how the hub reaches a member: from now on the hub runs its agent. */
export async function storeAccess(
  hub: KubeClient,
  cluster: ManagedCluster,
  credential: MemberCredential,
): Promise<void> {
  const name = cluster.metadata?.name ?? '';
  await hub
    .resource(namespaces)
    .create(clusterNamespace(name))
    .catch((error: unknown) => {
      if (!KubeError.is(error, 'AlreadyExists')) throw error;
    });
  await forgetHeartbeats(hub, name);
  const secret = memberSecret(cluster, credential);
  const handle = hub.resource(secrets);
  const found = await handle.find(keyOf(secret));
  if (!found) {
    await handle.create(secret);
    return;
  }
  // As a whole: an entry of an earlier join that is not needed any more, such as a proxy, must not stay.
  const { resourceVersion } = found.metadata ?? {};
  await handle.replace({ ...secret, metadata: { ...secret.metadata, resourceVersion } });
}

/** Of an earlier time: the heartbeats that an agent sent since must not be taken for those of one that runs now. */
async function forgetHeartbeats(hub: KubeClient, name: string): Promise<void> {
  const body = { metadata: { annotations: { [pushedRenewalAnnotation]: null } } };
  const key = `${name}/${LeaseName.ManagedCluster}`;
  await hub
    .resource(leases)
    .patch(key, { type: 'merge', body })
    .catch((error: unknown) => {
      if (!isAbsence(error)) throw error;
    });
}

/** Deletes the access, where the garbage collector has not done so yet. */
export async function deleteAccess(hub: KubeClient, key: string): Promise<boolean> {
  const handle = hub.resource(secrets);
  if (!(await handle.find(key))) return false;
  await handle.delete(key).catch((error: unknown) => {
    if (!isAbsence(error)) throw error;
  });
  return true;
}
