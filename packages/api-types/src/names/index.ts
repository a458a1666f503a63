// The names of the API. Each vocabulary is a file with one table: key, value, the kinds it stands on, what it is for.
// The constants that code uses are derived from the table, and so are the registry and docs/reference/names.md;
// a new vocabulary is added to vocabularies.ts (or condition-vocabularies.ts) and exported here.

export { Annotation } from './annotations.ts';
export { AwsName } from './aws.ts';
export { ReservedClaim } from './claims.ts';
export { ManagedClusterAddOnCondition, ManagedClusterAddOnReason } from './conditions/add-on.ts';
export {
  CertificateSigningRequestCondition,
  CertificateSigningRequestReason,
} from './conditions/certificate-signing-request.ts';
export {
  ClusterProfileCondition,
  ManagedClusterSetBindingCondition,
  ManagedClusterSetBindingReason,
  ManagedClusterSetCondition,
  ManagedClusterSetReason,
} from './conditions/cluster-set.ts';
export { KlusterletCondition, KlusterletReason } from './conditions/klusterlet.ts';
export {
  ManagedClusterCondition,
  ManagedClusterReason,
  ManagedNamespaceCondition,
  ManagedNamespaceReason,
} from './conditions/managed-cluster.ts';
export {
  conditionRuleReasonPrefix,
  ManifestWorkCondition,
  ManifestWorkReason,
  WorkManifestCondition,
  WorkManifestReason,
} from './conditions/manifest-work.ts';
export {
  ManifestWorkReplicaSetCondition,
  ManifestWorkReplicaSetReason,
} from './conditions/manifest-work-replica-set.ts';
export { PlacementCondition, PlacementReason } from './conditions/placement.ts';
export { AddOnControllerName, ControllerName } from './controllers.ts';
export { DataKey, KubeconfigName } from './data-keys.ts';
export { AddOnRegistrationDriverName, RegistrationDriverName } from './drivers.ts';
export { EventAction, EventReason, ReportingController } from './events.ts';
export {
  type FeatureGateEntry,
  type FeatureGateName,
  type FeatureGateValues,
  featureGateChoices,
  featureGateGroups,
  featureGates,
  featureGatesOf,
  featureGateValues,
  type GatedComponent,
  gatedKindOf,
  isOwnGate,
} from './feature-gates.ts';
export { FeedbackValue } from './feedback.ts';
export { FieldManager } from './field-managers.ts';
export { Finalizer } from './finalizers.ts';
export { ApiGroup } from './groups.ts';
export { HealthCheckName } from './health-checks.ts';
export { CertificateName, GroupName, mayRegister, UserName } from './identities.ts';
export { KeyPrefix } from './key-prefixes.ts';
export { AddOnFeatureValue, AppLabelValue, InventoryManagerValue } from './key-values.ts';
export { Label } from './labels.ts';
export { LogReason } from './log-reasons.ts';
export { ConfigMapName } from './objects/config-maps.ts';
export { ObjectName } from './objects/custom-resources.ts';
export { LeaderElectionComponent, LeaseName } from './objects/leases.ts';
export { NamespaceName } from './objects/namespaces.ts';
export { ClusterRoleName, HubRoleSuffix, RoleName } from './objects/roles.ts';
export { bootstrapTokenId, SecretName } from './objects/secrets.ts';
export { ServiceAccountName } from './objects/service-accounts.ts';
export { WebhookName, WebhookPath } from './objects/webhooks.ts';
export { ServiceName } from './objects/workloads.ts';
export { MountPath } from './paths.ts';
export { Permission } from './permissions.ts';
export { SchedulingPlugin } from './scheduling.ts';
export { Signer } from './signers.ts';
export { TaintEffect, TaintKey } from './taints.ts';
