import {
  addOnDeploymentConfigVersions,
  clusterManagementAddOnVersions,
  managedClusterAddOnVersions,
} from '@flotilla/api-types/conversion';
import type { KubeClient } from '@flotilla/kube';
import { withOlderVersion } from '@flotilla/kube/discovery';

/** A client for hubs that serve add-ons as v1alpha1 only, as every OCM hub before v1.3 does. */
export const withServedVersions = (client: KubeClient): KubeClient =>
  withOlderVersion(
    withOlderVersion(withOlderVersion(client, managedClusterAddOnVersions), clusterManagementAddOnVersions),
    addOnDeploymentConfigVersions,
  );
