import { annotationTable } from './annotations.ts';
import { awsNameTable } from './aws.ts';
import { reservedClaimTable } from './claims.ts';
import { addOnControllerTable, controllerTable } from './controllers.ts';
import { dataKeyTable, kubeconfigNameTable } from './data-keys.ts';
import { addOnRegistrationDriverTable, registrationDriverTable } from './drivers.ts';
import { eventActionTable, eventReasonTable, reportingControllerTable } from './events.ts';
import { feedbackValueTable } from './feedback.ts';
import { fieldManagerTable } from './field-managers.ts';
import { finalizerTable } from './finalizers.ts';
import { healthCheckTable } from './health-checks.ts';
import { certificateNameTable, groupNameTable, userNameTable } from './identities.ts';
import { keyPrefixTable } from './key-prefixes.ts';
import { addOnFeatureValueTable, appLabelValueTable, inventoryManagerValueTable } from './key-values.ts';
import { labelTable } from './labels.ts';
import { logReasonTable } from './log-reasons.ts';
import type { NameTable } from './name-table.ts';
import { configMapTable } from './objects/config-maps.ts';
import { objectTable } from './objects/custom-resources.ts';
import { leaderElectionComponentTable, leaseTable } from './objects/leases.ts';
import { namespaceTable } from './objects/namespaces.ts';
import { clusterRoleTable, hubRoleSuffixTable, roleTable } from './objects/roles.ts';
import { secretTable } from './objects/secrets.ts';
import { serviceAccountTable } from './objects/service-accounts.ts';
import { webhookPathTable, webhookTable } from './objects/webhooks.ts';
import { serviceTable } from './objects/workloads.ts';
import { pathTable } from './paths.ts';
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
  KeyPrefix: keyPrefixTable,
  Finalizer: finalizerTable,
  TaintKey: taintKeyTable,
  TaintEffect: taintEffectTable,
  Signer: signerTable,
  ReservedClaim: reservedClaimTable,
  UserName: userNameTable,
  GroupName: groupNameTable,
  CertificateName: certificateNameTable,
  NamespaceName: namespaceTable,
  SecretName: secretTable,
  ConfigMapName: configMapTable,
  DataKey: dataKeyTable,
  KubeconfigName: kubeconfigNameTable,
  ServiceAccountName: serviceAccountTable,
  ClusterRoleName: clusterRoleTable,
  HubRoleSuffix: hubRoleSuffixTable,
  RoleName: roleTable,
  LeaseName: leaseTable,
  LeaderElectionComponent: leaderElectionComponentTable,
  ServiceName: serviceTable,
  WebhookName: webhookTable,
  WebhookPath: webhookPathTable,
  ObjectName: objectTable,
  RegistrationDriverName: registrationDriverTable,
  AddOnRegistrationDriverName: addOnRegistrationDriverTable,
  AwsName: awsNameTable,
  FieldManager: fieldManagerTable,
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
} as const satisfies Readonly<Record<string, NameTable>>;
