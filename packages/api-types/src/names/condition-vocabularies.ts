import { managedClusterAddOnConditionTable } from './conditions/add-on.ts';
import { certificateSigningRequestConditionTable } from './conditions/certificate-signing-request.ts';
import {
  clusterProfileConditionTable,
  managedClusterSetBindingConditionTable,
  managedClusterSetConditionTable,
} from './conditions/cluster-set.ts';
import type { ConditionTable } from './conditions/condition-table.ts';
import { klusterletConditionTable } from './conditions/klusterlet.ts';
import { managedClusterConditionTable, managedNamespaceConditionTable } from './conditions/managed-cluster.ts';
import { manifestConditionTable, manifestWorkConditionTable } from './conditions/manifest-work.ts';
import { manifestWorkReplicaSetConditionTable } from './conditions/manifest-work-replica-set.ts';
import { placementConditionTable } from './conditions/placement.ts';

/** Every table of conditions by what has them: `ManagedCluster` gives `ManagedClusterCondition` and `ManagedClusterReason`. */
export const conditionVocabularies = {
  ManagedCluster: managedClusterConditionTable,
  ManagedNamespace: managedNamespaceConditionTable,
  ManagedClusterSet: managedClusterSetConditionTable,
  ManagedClusterSetBinding: managedClusterSetBindingConditionTable,
  ClusterProfile: clusterProfileConditionTable,
  Placement: placementConditionTable,
  ManifestWork: manifestWorkConditionTable,
  WorkManifest: manifestConditionTable,
  ManifestWorkReplicaSet: manifestWorkReplicaSetConditionTable,
  ManagedClusterAddOn: managedClusterAddOnConditionTable,
  Klusterlet: klusterletConditionTable,
  CertificateSigningRequest: certificateSigningRequestConditionTable,
} as const satisfies Readonly<Record<string, ConditionTable>>;
