import {
  ApiGroup,
  ClusterRoleName,
  clusterManagementAddOns,
  HubRoleSuffix,
  type KubeObject,
  managedClusterAddOns,
  NamespaceName,
  ObjectName,
  SecretName,
  ServiceAccountName,
  WebhookName,
} from '@flotilla/api-types';
import { hubRules } from '@flotilla/registration-core/hub';
import { workManagerRules } from '@flotilla/work-manager';
import { asMadeByCli } from '../ownership.ts';
import { accountSubject, boundRole, clusterRole, clusterRoleBinding, type Rules, serviceAccount } from './rbac.ts';

const roleName = (suffix: string) =>
  ClusterRoleName.HubComponent.of({ clusterManager: ObjectName.ClusterManager, suffix });

const controllers = serviceAccount(NamespaceName.Hub, ServiceAccountName.RegistrationController);
const webhooks = serviceAccount(NamespaceName.Hub, ServiceAccountName.RegistrationWebhook);
const controllerRole = roleName(HubRoleSuffix.RegistrationController);
const webhookRole = roleName(HubRoleSuffix.RegistrationWebhook);

const read = ['get', 'list', 'watch'];

/** What the webhook server may do: ask about rights, look whether a namespace ends, and put its CA where it is asked from. */
const webhookRules: Rules = [
  { apiGroups: [ApiGroup.Core], resources: ['namespaces'], verbs: ['get'] },
  { apiGroups: [ApiGroup.Authorization], resources: ['subjectaccessreviews'], verbs: ['create'] },
  {
    apiGroups: [ApiGroup.AdmissionRegistration],
    resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
    verbs: read,
  },
  {
    apiGroups: [ApiGroup.AdmissionRegistration],
    resources: ['mutatingwebhookconfigurations'],
    resourceNames: [WebhookName.ManagedClusterMutators],
    verbs: ['patch'],
  },
  {
    apiGroups: [ApiGroup.AdmissionRegistration],
    resources: ['validatingwebhookconfigurations'],
    resourceNames: [
      WebhookName.ManagedClusterValidators,
      WebhookName.ManagedClusterSetBindingValidators,
      WebhookName.ManifestWorkValidators,
    ],
    verbs: ['patch'],
  },
  {
    apiGroups: [ApiGroup.ApiExtensions],
    resources: ['customresourcedefinitions'],
    resourceNames: [clusterManagementAddOns, managedClusterAddOns].map(({ plural, group }) => `${plural}.${group}`),
    verbs: [...read, 'patch'],
  },
];

/** Its certificate, which all replicas share. A name cannot be asked for at creation. */
const certificateRules: Rules = [
  { apiGroups: [ApiGroup.Core], resources: ['secrets'], verbs: ['create'] },
  {
    apiGroups: [ApiGroup.Core],
    resources: ['secrets'],
    resourceNames: [SecretName.RegistrationWebhookServingCert],
    verbs: [...read, 'update'],
  },
];

/** As whom the programs of the hub run in the cluster, with what they need and no more. */
export const controllerObjects = (): KubeObject[] =>
  [
    controllers,
    clusterRole(controllerRole, [...hubRules(), ...workManagerRules()]),
    clusterRoleBinding(controllerRole, controllerRole, [accountSubject(controllers)]),
    webhooks,
    clusterRole(webhookRole, webhookRules),
    clusterRoleBinding(webhookRole, webhookRole, [accountSubject(webhooks)]),
    ...boundRole(NamespaceName.Hub, webhookRole, certificateRules, [accountSubject(webhooks)]),
  ].map(asMadeByCli);
