import {
  ApiGroup,
  ClusterRoleName,
  HubRoleSuffix,
  NamespaceName,
  ObjectName,
  SecretName,
  ServiceAccountName,
  ServiceName,
} from '@flotilla/api-types';
import type { Deployment, Service } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { deployment, podName } from '../objects/deployment.ts';
import { accountSubject, boundClusterRole, boundRole, type Rules, serviceAccount } from '../objects/rbac.ts';
import { convertedDefinitions } from './definitions.ts';
import { webhookNames, webhookServicePort } from './webhook-configurations.ts';

const account = serviceAccount(NamespaceName.Hub, ServiceAccountName.RegistrationWebhook);

const role = ClusterRoleName.HubComponent.of({
  clusterManager: ObjectName.ClusterManager,
  suffix: HubRoleSuffix.RegistrationWebhook,
});

const read = ['get', 'list', 'watch'];

/** Review access, see whether a namespace is being deleted, and put its CA into the configurations by which it is called. */
const rules = (): Rules => [
  { apiGroups: [ApiGroup.Core], resources: ['namespaces'], verbs: ['get'] },
  { apiGroups: [ApiGroup.Authorization], resources: ['subjectaccessreviews'], verbs: ['create'] },
  // With subjectaccessreviews, to authenticate and authorize callers of /metrics.
  { apiGroups: [ApiGroup.Authentication], resources: ['tokenreviews'], verbs: ['create'] },
  {
    apiGroups: [ApiGroup.AdmissionRegistration],
    resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
    verbs: read,
  },
  {
    apiGroups: [ApiGroup.AdmissionRegistration],
    resources: ['mutatingwebhookconfigurations'],
    resourceNames: webhookNames().mutating,
    verbs: ['patch'],
  },
  {
    apiGroups: [ApiGroup.AdmissionRegistration],
    resources: ['validatingwebhookconfigurations'],
    resourceNames: webhookNames().validating,
    verbs: ['patch'],
  },
  {
    apiGroups: [ApiGroup.ApiExtensions],
    resources: ['customresourcedefinitions'],
    resourceNames: convertedDefinitions(),
    verbs: [...read, 'patch'],
  },
];

/** Its certificate, which all replicas share. RBAC cannot restrict the creation to a name. */
const certificateRules: Rules = [
  { apiGroups: [ApiGroup.Core], resources: ['secrets'], verbs: ['create'] },
  {
    apiGroups: [ApiGroup.Core],
    resources: ['secrets'],
    resourceNames: [SecretName.RegistrationWebhookServingCert],
    verbs: [...read, 'update'],
  },
];

/** The service account of the webhook server, with the rights that it needs. */
export const webhookServerAccess = (): KubeObject[] => [
  account,
  ...boundClusterRole(role, rules(), [accountSubject(account)]),
  ...boundRole(NamespaceName.Hub, role, certificateRules, [accountSubject(account)]),
];

const app = ServiceName.RegistrationWebhook;

/** OCM has a service for each of its webhook servers. Here one server answers all of them. */
export const webhookServices = (): Service[] =>
  [ServiceName.RegistrationWebhook, ServiceName.WorkWebhook, ServiceName.AddOnWebhook].map((name) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: NamespaceName.Hub },
    spec: { selector: { app }, ports: [{ name: 'webhooks', port: webhookServicePort, targetPort: 'webhooks' }] },
  }));

/** The webhook server as a Deployment. All replicas serve. */
export const webhookServerDeployment = ({ image }: { readonly image: string }): Deployment =>
  deployment({
    name: `${ObjectName.ClusterManager}-registration-webhook`,
    namespace: NamespaceName.Hub,
    app,
    replicas: 2,
    serviceAccount: ServiceAccountName.RegistrationWebhook,
    container: {
      name: `${ObjectName.ClusterManager}-webhook`,
      image,
      args: ['webhook-server'],
      env: [podName],
      ports: [
        { name: 'webhooks', containerPort: webhookServicePort },
        { name: 'health', containerPort: 8000 },
        { name: 'metrics', containerPort: 8080 },
      ],
    },
  });
