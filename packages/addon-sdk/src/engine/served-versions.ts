import { managedClusterAddOns, managedClusterAddOnsV1alpha1 } from '@flotilla/api-types';
import {
  addOnDeploymentConfigVersions,
  clusterManagementAddOnVersions,
  managedClusterAddOnVersions,
} from '@flotilla/api-types/conversion';
import { type KubeClient, KubeError } from '@flotilla/kube';
import { withOlderVersion } from '@flotilla/kube/discovery';
import { apiVersionOf } from '@flotilla/kube/meta';
import type { ResourceType } from '@flotilla/schema';

/** A client for hubs that serve add-ons as v1alpha1 only, as every OCM hub before v1.3 does. */
export const withServedVersions = (client: KubeClient): KubeClient =>
  withOlderVersion(
    withOlderVersion(withOlderVersion(client, managedClusterAddOnVersions), clusterManagementAddOnVersions),
    addOnDeploymentConfigVersions,
  );

/** Which version of ManagedClusterAddOns a hub serves: the newer one if it has both. Asked once; after a failure again. */
export function servedAddonType({ mapper }: Pick<KubeClient, 'mapper'>): () => Promise<ResourceType> {
  let known: Promise<ResourceType> | undefined;
  const ask = async (): Promise<ResourceType> => {
    try {
      await mapper.byKind(apiVersionOf(managedClusterAddOns), managedClusterAddOns.kind);
      return managedClusterAddOns;
    } catch (error) {
      if (KubeError.is(error, 'UnknownKind')) return managedClusterAddOnsV1alpha1;
      known = undefined;
      throw error;
    }
  };
  return () => {
    known ??= ask();
    return known;
  };
}
