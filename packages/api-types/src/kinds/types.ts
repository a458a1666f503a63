// The static types of all kinds and of their parts.

export type { RolloutStrategy } from '../schema/rollout-strategy.ts';
export type { AddOnDeploymentConfig, AddOnDeploymentConfigSpec } from './addon/add-on-deployment-config.ts';
export type { AddOnDeploymentConfigV1alpha1 } from './addon/add-on-deployment-config.v1alpha1.ts';
export type {
  AddOnHubPermission,
  AddOnTemplate,
  AddOnTemplateRegistration,
  AddOnTemplateSpec,
} from './addon/add-on-template.ts';
export type {
  ClusterManagementAddOn,
  ClusterManagementAddOnSpec,
  ClusterManagementAddOnStatus,
} from './addon/cluster-management-add-on.ts';
export type {
  ClusterManagementAddOnSpecV1alpha1,
  ClusterManagementAddOnStatusV1alpha1,
  ClusterManagementAddOnV1alpha1,
} from './addon/cluster-management-add-on.v1alpha1.ts';
export type { AddOnConfig, ConfigSpecHash } from './addon/config-reference.ts';
export type {
  InstallConfigReference,
  InstallProgression,
  InstallStrategy,
  PlacementStrategy,
} from './addon/install-strategy.ts';
export type {
  AddOnConfigReference,
  AddOnRegistration,
  ManagedClusterAddOn,
  ManagedClusterAddOnSpec,
  ManagedClusterAddOnStatus,
} from './addon/managed-cluster-add-on.ts';
export type {
  ManagedClusterAddOnSpecV1alpha1,
  ManagedClusterAddOnStatusV1alpha1,
  ManagedClusterAddOnV1alpha1,
} from './addon/managed-cluster-add-on.v1alpha1.ts';
export type { AddOnPlacementScore, AddOnPlacementScoreStatus } from './cluster/add-on-placement-score.ts';
export type { ClusterClaim, ClusterClaimSpec } from './cluster/cluster-claim.ts';
export type {
  ManagedCluster,
  ManagedClusterClaim,
  ManagedClusterSpec,
  ManagedClusterStatus,
  ManagedClusterTaint,
} from './cluster/managed-cluster.ts';
export type {
  ManagedClusterSet,
  ManagedClusterSetSpec,
  ManagedClusterSetStatus,
} from './cluster/managed-cluster-set.ts';
export type {
  ManagedClusterSetBinding,
  ManagedClusterSetBindingSpec,
  ManagedClusterSetBindingStatus,
} from './cluster/managed-cluster-set-binding.ts';
export type {
  DecisionGroupStatus,
  Placement,
  PlacementPredicate,
  PlacementSpec,
  PlacementStatus,
  PlacementToleration,
  ScoreCoordinate,
} from './cluster/placement.ts';
export type {
  ClusterDecision,
  PlacementDecision,
  PlacementDecisionStatus,
} from './cluster/placement-decision.ts';
export type { ClusterProfile, ClusterProfileSpec, ClusterProfileStatus } from './inventory/cluster-profile.ts';
export type { ClusterManager, ClusterManagerSpec, RegistrationDriverHub } from './operator/cluster-manager.ts';
export type { Klusterlet, KlusterletSpec, RegistrationDriverAgent } from './operator/klusterlet.ts';
export type { FeatureGate, OperatorStatus, RelatedResource } from './operator/operator-shared.ts';
export type {
  AppliedManifestResource,
  AppliedManifestWork,
  AppliedManifestWorkSpec,
  AppliedManifestWorkStatus,
} from './work/applied-manifest-work.ts';
export type {
  ManifestCondition,
  ManifestFeedbackValue,
  ManifestResourceMeta,
  ManifestWork,
  ManifestWorkStatus,
} from './work/manifest-work.ts';
export type {
  LocalPlacementRef,
  ManifestWorkReplicaSet,
  ManifestWorkReplicaSetSpec,
  ManifestWorkReplicaSetStatus,
  ManifestWorkReplicaSetSummary,
} from './work/manifest-work-replica-set.ts';
export type {
  ManifestConditionRule,
  ManifestConfigOption,
  ManifestFeedbackRule,
  ManifestUpdateStrategy,
  ManifestWorkDeleteOption,
  ManifestWorkExecutor,
  ManifestWorkSpec,
} from './work/manifest-work-spec.ts';
