import { constantsOf, type NameTable } from './name-table.ts';

export const finalizerTable = {
  ApiResourceCleanup: {
    value: 'cluster.open-cluster-management.io/api-resource-cleanup',
    on: ['ManagedCluster'],
    meaning: 'Held until RBAC of the cluster and what its driver made are gone.',
  },
  ResourceCleanup: {
    value: 'cluster.open-cluster-management.io/resource-cleanup',
    on: ['ManagedCluster'],
    meaning: 'Held until add-ons and works of the cluster are gone.',
  },
  ManifestWorkCleanup: {
    value: 'cluster.open-cluster-management.io/manifest-work-cleanup',
    on: ['ManifestWork', 'RoleBinding'],
    meaning: "Held until applied objects are gone; on the work role binding it keeps the agent's rights until then.",
  },
  AppliedManifestWorkCleanup: {
    value: 'cluster.open-cluster-management.io/applied-manifest-work-cleanup',
    on: ['AppliedManifestWork'],
    meaning: 'Held until the applied objects are gone from the managed cluster.',
  },
  ManifestWorkReplicaSetCleanup: {
    value: 'work.open-cluster-management.io/manifest-work-cleanup',
    on: ['ManifestWorkReplicaSet'],
    meaning: 'Held until the generated works are deleted.',
  },
  AddOnPreDelete: {
    value: 'addon.open-cluster-management.io/addon-pre-delete',
    on: ['ManagedClusterAddOn'],
    meaning: 'Held until the pre-delete hook on the managed cluster has completed.',
  },
  HostingAddOnPreDelete: {
    value: 'addon.open-cluster-management.io/hosting-addon-pre-delete',
    on: ['ManagedClusterAddOn'],
    meaning: 'Held until the pre-delete hook on the hosting cluster has completed.',
  },
  HostingManifestsCleanup: {
    value: 'addon.open-cluster-management.io/hosting-manifests-cleanup',
    on: ['ManagedClusterAddOn'],
    meaning: 'Held until the works on the hosting cluster are gone.',
  },
  ClusterManagerCleanup: {
    value: 'operator.open-cluster-management.io/cluster-manager-cleanup',
    on: ['ClusterManager'],
    meaning: 'Held until the hub is uninstalled.',
  },
  KlusterletCleanup: {
    value: 'operator.open-cluster-management.io/klusterlet-cleanup',
    on: ['Klusterlet'],
    meaning: 'Held until the agents are uninstalled.',
  },
  KlusterletHostedCleanup: {
    value: 'operator.open-cluster-management.io/klusterlet-hosted-cleanup',
    on: ['Klusterlet'],
    meaning: 'Held until a hosted klusterlet has left its managed cluster.',
  },
} as const satisfies NameTable;

/** Finalizers. */
export const Finalizer = /* @__PURE__ */ constantsOf(finalizerTable);
