// The names of the wire. Each vocabulary is a file with one table: key, value, the kinds it stands on, what it is for.
// The constants that code uses are derived from the table, and so are the registry and docs/reference/names.md;
// a new vocabulary is added to vocabularies.ts (or condition-vocabularies.ts) and exported here.

export { Annotation } from './annotations.ts';
export { AwsName } from './aws.ts';
export { ReservedClaim } from './claims.ts';
export {
  CloudEventsAttribute,
  CloudEventsExtension,
  cloudEventsContentType,
  cloudEventsSpecVersion,
} from './cloudevents/attributes.ts';
export {
  CloudEventsAction,
  CloudEventsDataType,
  CloudEventsSubresource,
  CloudEventsType,
} from './cloudevents/event-types.ts';
export {
  CloudEventsClientId,
  CloudEventsGrpc,
  CloudEventsSource,
  MqttTopic,
  TransportErrorReason,
  UidInput,
} from './cloudevents/transport.ts';
export type { ComposedName, FormattedName, ParametersOf } from './composed.ts';
export {
  InstallProgressionCondition,
  InstallProgressionReason,
  ManagedClusterAddOnCondition,
  ManagedClusterAddOnReason,
} from './conditions/add-on.ts';
export {
  CertificateSigningRequestCondition,
  CertificateSigningRequestReason,
} from './conditions/certificate-signing-request.ts';
export { ClusterManagerCondition, ClusterManagerReason } from './conditions/cluster-manager.ts';
export {
  ClusterProfileCondition,
  ManagedClusterSetBindingCondition,
  ManagedClusterSetBindingReason,
  ManagedClusterSetCondition,
  ManagedClusterSetReason,
} from './conditions/cluster-set.ts';
export {
  type BootstrapSecretReason,
  type HubKubeconfigReason,
  hubConnectionDegradedReason,
  KlusterletCondition,
  KlusterletReason,
} from './conditions/klusterlet.ts';
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
export { AddOnControllerName, ControllerName, OperatorControllerName } from './controllers.ts';
export { DataKey, KubeconfigName, SecretType } from './data-keys.ts';
export {
  AddOnRegistrationDriverName,
  ImportRendererName,
  RegistrationDriverName,
  WorkDriverName,
} from './drivers.ts';
export { EnvironmentVariable, PrivateTemplateValue } from './environment.ts';
export { EventAction, EventReason, ReportingController } from './events.ts';
export {
  type FeatureGateEntry,
  type FeatureGateName,
  featureGateGroups,
  featureGates,
  featureGatesOf,
  type GatedComponent,
  gatedKindOf,
} from './feature-gates.ts';
export { FeedbackValue } from './feedback.ts';
export { FieldManager } from './field-managers.ts';
export { DeprecatedFinalizer, Finalizer } from './finalizers.ts';
export { ApiGroup } from './groups.ts';
export { HealthCheckName } from './health-checks.ts';
export { CertificateName, GroupName, UserName } from './identities.ts';
export { KeyPrefix } from './key-prefixes.ts';
export {
  AddOnFeatureValue,
  AddOnLifecycleValue,
  AppLabelValue,
  HostedManifestLocationValue,
  InventoryManagerValue,
} from './key-values.ts';
export { Label } from './labels.ts';
export { LogReason } from './log-reasons.ts';
export { MetricName } from './metrics.ts';
export type { NameEntry, ValueOf } from './name-table.ts';
export { ConfigMapName } from './objects/config-maps.ts';
export { GenerateName, ObjectName, ObjectReference } from './objects/custom-resources.ts';
export { LeaderElectionComponent, LeaseName } from './objects/leases.ts';
export { NamespaceName } from './objects/namespaces.ts';
export { ClusterRoleName, HubRoleSuffix, RoleName } from './objects/roles.ts';
export { addOnClientCertSecretName, bootstrapTokenId, SecretName } from './objects/secrets.ts';
export { ServiceAccountName } from './objects/service-accounts.ts';
export { WebhookName, WebhookPath } from './objects/webhooks.ts';
export { ContainerName, DeploymentName, ServiceName, VolumeName } from './objects/workloads.ts';
export { MountPath } from './paths.ts';
export { Permission } from './permissions.ts';
export { type Name, names, namesOn } from './registry.ts';
export { HelmValue, RenderValue } from './render-values.ts';
export { crdNameOf, type KindName, ResourceName } from './resources.ts';
export { SchedulingPlugin } from './scheduling.ts';
export { Signer } from './signers.ts';
export { TaintEffect, TaintKey } from './taints.ts';
