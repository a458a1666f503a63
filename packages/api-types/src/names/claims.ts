import { constantsOf, type NameTable } from './name-table.ts';

export const reservedClaimTable = {
  Id: {
    value: 'id.k8s.io',
    on: ['ClusterClaim', 'ClusterProperty', 'ManagedCluster'],
    meaning: 'Identity of the cluster.',
  },
  KubeVersion: {
    value: 'kubeversion.open-cluster-management.io',
    on: ['ClusterClaim', 'ClusterProperty', 'ManagedCluster'],
    meaning: 'Kubernetes version of the cluster.',
  },
  Platform: {
    value: 'platform.open-cluster-management.io',
    on: ['ClusterClaim', 'ClusterProperty', 'ManagedCluster'],
    meaning: 'Platform that the cluster runs on, such as AWS.',
  },
  Product: {
    value: 'product.open-cluster-management.io',
    on: ['ClusterClaim', 'ClusterProperty', 'ManagedCluster'],
    meaning: 'Kubernetes product, such as OpenShift.',
  },
} as const satisfies NameTable;

/** Claims that are always reported, first and outside of the limit on custom claims. */
export const ReservedClaim = /* @__PURE__ */ constantsOf(reservedClaimTable);
