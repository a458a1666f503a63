import type { KindDefinition } from '@flotilla/schema/define';
import { addOnDeploymentConfigKind } from './addon/add-on-deployment-config.ts';
import { addOnDeploymentConfigV1alpha1Kind } from './addon/add-on-deployment-config.v1alpha1.ts';
import { addOnTemplateKind } from './addon/add-on-template.ts';
import { clusterManagementAddOnKind } from './addon/cluster-management-add-on.ts';
import { clusterManagementAddOnV1alpha1Kind } from './addon/cluster-management-add-on.v1alpha1.ts';
import { managedClusterAddOnKind } from './addon/managed-cluster-add-on.ts';
import { managedClusterAddOnV1alpha1Kind } from './addon/managed-cluster-add-on.v1alpha1.ts';
import { addOnPlacementScoreKind } from './cluster/add-on-placement-score.ts';
import { clusterClaimKind } from './cluster/cluster-claim.ts';
import { managedClusterKind } from './cluster/managed-cluster.ts';
import { managedClusterSetKind } from './cluster/managed-cluster-set.ts';
import { managedClusterSetBindingKind } from './cluster/managed-cluster-set-binding.ts';
import { placementKind } from './cluster/placement.ts';
import { placementDecisionKind } from './cluster/placement-decision.ts';
import { clusterProfileKind } from './inventory/cluster-profile.ts';
import { clusterManagerKind } from './operator/cluster-manager.ts';
import { klusterletKind } from './operator/klusterlet.ts';
import { appliedManifestWorkKind } from './work/applied-manifest-work.ts';
import { manifestWorkKind } from './work/manifest-work.ts';
import { manifestWorkReplicaSetKind } from './work/manifest-work-replica-set.ts';

/** Every version of every kind; versions of one kind stand together, the oldest first. */
export const allKinds: readonly KindDefinition[] = [
  managedClusterKind,
  managedClusterSetKind,
  managedClusterSetBindingKind,
  placementKind,
  placementDecisionKind,
  addOnPlacementScoreKind,
  clusterClaimKind,
  manifestWorkKind,
  appliedManifestWorkKind,
  manifestWorkReplicaSetKind,
  clusterManagementAddOnV1alpha1Kind,
  clusterManagementAddOnKind,
  managedClusterAddOnV1alpha1Kind,
  managedClusterAddOnKind,
  addOnDeploymentConfigV1alpha1Kind,
  addOnDeploymentConfigKind,
  addOnTemplateKind,
  clusterManagerKind,
  klusterletKind,
  clusterProfileKind,
];
