import { Label } from '@flotilla/api-types';
import { certificateSigningRequests, clusterRoleBindings, clusterRoles, namespaces } from '@flotilla/kube';
import { type Removal, removeObject } from '../remove.ts';

const roleOfClusters = 'open-cluster-management:managedcluster:';

/** Takes away what the hub made for its clusters and keeps when they go: their namespaces, roles and certificate requests. */
export async function removeLeftovers(removal: Removal): Promise<void> {
  const { client } = removal;
  const labelSelector = Label.ClusterName;
  const left = [
    {
      type: certificateSigningRequests,
      items: (await client.metadata(certificateSigningRequests).list({ labelSelector })).items,
    },
    { type: namespaces, items: (await client.metadata(namespaces).list({ labelSelector })).items },
    ...(await Promise.all(
      [clusterRoleBindings, clusterRoles].map(async (type) => ({
        type,
        items: (
          await client.metadata(type).list()
        ).items.filter(({ metadata }) => metadata?.name?.startsWith(roleOfClusters)),
      })),
    )),
  ];
  for (const { type, items } of left) {
    const handle = client.metadata(type);
    await Promise.all(items.map((item) => removeObject(removal, handle, { ...item, kind: type.kind })));
  }
}
