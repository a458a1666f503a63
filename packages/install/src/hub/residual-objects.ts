import { Label, LeaseName } from '@flotilla/api-types';
import { keyOf } from '@flotilla/kube';
import {
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  leases,
  namespaces,
  roleBindings,
} from '@flotilla/kube/kinds';
import { isCreatedByHub } from '@flotilla/registration-core/contract';
import type { KubeObject } from '@flotilla/schema';
import { releaseFinalizers } from '../remove/finalizers.ts';
import type { Removal } from '../remove/removal.ts';
import { removeObject } from '../remove/remove-objects.ts';

const roleOfClusters = 'open-cluster-management:managedcluster:';

const isOfClusters = ({ metadata }: KubeObject): boolean => metadata?.name?.startsWith(roleOfClusters) ?? false;

/** Removes what the hub created for its clusters and keeps when they are removed: their namespaces, roles and certificate requests. */
export async function removeResidualObjects(removal: Removal): Promise<void> {
  const { client } = removal;
  const labelSelector = Label.ClusterName;
  const ofClusters = (await client.metadata(namespaces).list({ labelSelector })).items;
  const residual = [
    {
      type: certificateSigningRequests,
      items: (await client.metadata(certificateSigningRequests).list({ labelSelector })).items,
    },
    { type: namespaces, items: ofClusters.filter(isCreatedByHub) },
    ...(await Promise.all(
      [clusterRoleBindings, clusterRoles].map(async (type) => ({
        type,
        items: (await client.metadata(type).list()).items.filter(isOfClusters),
      })),
    )),
  ];
  await Promise.all(ofClusters.map((namespace) => removeBindings(removal, namespace)));
  for (const { type, items } of residual) {
    const handle = client.metadata(type);
    await Promise.all(items.map((item) => removeObject(removal, handle, { ...item, kind: type.kind })));
  }
  for (const namespace of ofClusters.filter((item) => !isCreatedByHub(item))) await leaveNamespace(removal, namespace);
}

/**
 * Removes the permissions of a cluster in its namespace. The hub holds one of them with its finalizer until works are gone; it does
 * not run any more, and a namespace would wait for it for ever.
 */
async function removeBindings({ client, dryRun, reporter }: Removal, { metadata }: KubeObject): Promise<void> {
  const handle = client.metadata(roleBindings);
  const { items } = await handle.list({ namespace: metadata?.name ?? '' });
  await Promise.all(
    items.filter(isOfClusters).map(async (binding) => {
      if (!dryRun) {
        await handle.delete(keyOf(binding));
        await releaseFinalizers(handle, keyOf(binding));
      }
      reporter.removed(`RoleBinding ${keyOf(binding)}`);
    }),
  );
}

/**
 * Removes what the hub put into a namespace that it did not create, and its label. The namespace itself may be of a user, who
 * created it beforehand, or of a hub that does not mark its own (OCM, earlier versions): it stays.
 */
async function leaveNamespace(removal: Removal, { metadata }: KubeObject): Promise<void> {
  const { client, dryRun, reporter } = removal;
  const namespace = metadata?.name ?? '';
  const lease = await client.metadata(leases).find(`${namespace}/${LeaseName.ManagedCluster}`);
  if (lease?.metadata?.labels?.[Label.ClusterName] !== undefined) {
    await removeObject(removal, client.metadata(leases), { ...lease, kind: leases.kind });
  }
  if (!dryRun) {
    const labels = { [Label.ClusterName]: null };
    await client.metadata(namespaces).patch(namespace, { type: 'merge', body: { metadata: { labels } } });
  }
  reporter.removed(`label ${Label.ClusterName} of Namespace ${namespace}`);
  reporter.note(
    `Namespace ${namespace} stays: nothing says that the hub created it. If it is not needed: kubectl delete namespace ${namespace}.`,
  );
}
