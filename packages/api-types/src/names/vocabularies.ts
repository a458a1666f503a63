import { annotationTable } from './annotations.ts';
import { awsNameTable } from './aws.ts';
import { reservedClaimTable } from './claims.ts';
import { attributeTable, extensionTable } from './cloudevents/attributes.ts';
import { actionTable, dataTypeTable, eventTypeTable, subresourceTable } from './cloudevents/event-types.ts';
import {
  clientIdTable,
  errorReasonTable,
  grpcTable,
  mqttTopicTable,
  sourceTable,
  workUidTable,
} from './cloudevents/transport.ts';
import { addOnControllerTable, controllerTable, operatorControllerTable } from './controllers.ts';
import { dataKeyTable, kubeconfigNameTable, secretTypeTable } from './data-keys.ts';
import {
  addOnRegistrationDriverTable,
  importRendererTable,
  registrationDriverTable,
  workDriverTable,
} from './drivers.ts';
import { environmentTable, templateValueTable } from './environment.ts';
import { eventActionTable, eventReasonTable, reportingControllerTable } from './events.ts';
import { feedbackValueTable } from './feedback.ts';
import { fieldManagerTable } from './field-managers.ts';
import { deprecatedFinalizerTable, finalizerTable } from './finalizers.ts';
import { healthCheckTable } from './health-checks.ts';
import { certificateNameTable, groupNameTable, userNameTable } from './identities.ts';
import { keyPrefixTable } from './key-prefixes.ts';
import {
  addOnFeatureValueTable,
  addOnLifecycleValueTable,
  appLabelValueTable,
  hostedManifestLocationValueTable,
  inventoryManagerValueTable,
} from './key-values.ts';
import { labelTable } from './labels.ts';
import { logReasonTable } from './log-reasons.ts';
import { metricTable } from './metrics.ts';
import type { NameTable } from './name-table.ts';
import { configMapTable } from './objects/config-maps.ts';
import { generateNameTable, objectTable, referenceTable } from './objects/custom-resources.ts';
import { leaderElectionComponentTable, leaseTable } from './objects/leases.ts';
import { namespaceTable } from './objects/namespaces.ts';
import { clusterRoleTable, hubRoleSuffixTable, roleTable } from './objects/roles.ts';
import { secretTable } from './objects/secrets.ts';
import { serviceAccountTable } from './objects/service-accounts.ts';
import { webhookPathTable, webhookTable } from './objects/webhooks.ts';
import { containerTable, deploymentTable, serviceTable, volumeTable } from './objects/workloads.ts';
import { pathTable } from './paths.ts';
import { helmValueTable, renderValueTable } from './render-values.ts';
import { schedulingPluginTable } from './scheduling.ts';
import { signerTable } from './signers.ts';
import { taintEffectTable, taintKeyTable } from './taints.ts';

/** Every table of names by the constant that is derived from it, in the order of the reference page. */
export const vocabularies = {
  Label: labelTable,
  AddOnFeatureValue: addOnFeatureValueTable,
  InventoryManagerValue: inventoryManagerValueTable,
  AppLabelValue: appLabelValueTable,
  Annotation: annotationTable,
  AddOnLifecycleValue: addOnLifecycleValueTable,
  HostedManifestLocationValue: hostedManifestLocationValueTable,
  KeyPrefix: keyPrefixTable,
  Finalizer: finalizerTable,
  DeprecatedFinalizer: deprecatedFinalizerTable,
  TaintKey: taintKeyTable,
  TaintEffect: taintEffectTable,
  Signer: signerTable,
  ReservedClaim: reservedClaimTable,
  UserName: userNameTable,
  GroupName: groupNameTable,
  CertificateName: certificateNameTable,
  NamespaceName: namespaceTable,
  SecretName: secretTable,
  SecretType: secretTypeTable,
  ConfigMapName: configMapTable,
  DataKey: dataKeyTable,
  KubeconfigName: kubeconfigNameTable,
  ServiceAccountName: serviceAccountTable,
  ClusterRoleName: clusterRoleTable,
  HubRoleSuffix: hubRoleSuffixTable,
  RoleName: roleTable,
  LeaseName: leaseTable,
  LeaderElectionComponent: leaderElectionComponentTable,
  DeploymentName: deploymentTable,
  ContainerName: containerTable,
  VolumeName: volumeTable,
  ServiceName: serviceTable,
  WebhookName: webhookTable,
  WebhookPath: webhookPathTable,
  ObjectName: objectTable,
  GenerateName: generateNameTable,
  ObjectReference: referenceTable,
  RegistrationDriverName: registrationDriverTable,
  AddOnRegistrationDriverName: addOnRegistrationDriverTable,
  WorkDriverName: workDriverTable,
  ImportRendererName: importRendererTable,
  AwsName: awsNameTable,
  FieldManager: fieldManagerTable,
  EnvironmentVariable: environmentTable,
  PrivateTemplateValue: templateValueTable,
  RenderValue: renderValueTable,
  HelmValue: helmValueTable,
  MountPath: pathTable,
  HealthCheckName: healthCheckTable,
  FeedbackValue: feedbackValueTable,
  SchedulingPlugin: schedulingPluginTable,
  EventReason: eventReasonTable,
  EventAction: eventActionTable,
  ReportingController: reportingControllerTable,
  LogReason: logReasonTable,
  ControllerName: controllerTable,
  AddOnControllerName: addOnControllerTable,
  OperatorControllerName: operatorControllerTable,
  CloudEventsDataType: dataTypeTable,
  CloudEventsSubresource: subresourceTable,
  CloudEventsAction: actionTable,
  CloudEventsType: eventTypeTable,
  CloudEventsExtension: extensionTable,
  CloudEventsAttribute: attributeTable,
  CloudEventsSource: sourceTable,
  CloudEventsClientId: clientIdTable,
  CloudEventsGrpc: grpcTable,
  MqttTopic: mqttTopicTable,
  UidInput: workUidTable,
  TransportErrorReason: errorReasonTable,
  MetricName: metricTable,
} as const satisfies Readonly<Record<string, NameTable>>;
