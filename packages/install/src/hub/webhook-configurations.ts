import { ApiGroup, NamespaceName, ServiceName, WebhookName, WebhookPath } from '@flotilla/api-types';
import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';

type Webhook = NonNullable<ValidatingWebhookConfiguration['webhooks']>[number];

/** Where the API server calls a webhook server that runs outside of the cluster. */
export interface WebhookAddress {
  readonly url: string;
  /** Base64 of PEM. Without it the webhook server adds its own. */
  readonly caBundle?: string;
}

/** The services in front of webhook servers that an operator runs. */
export interface WebhookServices {
  readonly namespace: string;
  readonly portOf: (service: string) => number;
  /** Base64 of PEM. */
  readonly caBundle: string;
}

/** Where the API server calls the webhook server: at an address, or by the services of a Deployment or of an operator. */
export type WebhookEndpoint = WebhookAddress | 'services' | WebhookServices;

/** Of the services in front of the webhook server, and of its container. */
export const webhookServicePort = 9443;

/** One webhook of the hub: which writes it is called for, and where. */
interface HubWebhook {
  readonly name: string;
  readonly service: string;
  readonly path: string;
  readonly group: string;
  readonly resource: string;
  readonly versions: readonly string[];
}

const mutating: readonly HubWebhook[] = [
  {
    name: WebhookName.ManagedClusterMutators,
    service: ServiceName.RegistrationWebhook,
    path: WebhookPath.MutateManagedCluster,
    group: ApiGroup.Cluster,
    resource: 'managedclusters',
    versions: ['*'],
  },
];

const validating: readonly HubWebhook[] = [
  {
    name: WebhookName.ManagedClusterValidators,
    service: ServiceName.RegistrationWebhook,
    path: WebhookPath.ValidateManagedCluster,
    group: ApiGroup.Cluster,
    resource: 'managedclusters',
    versions: ['*'],
  },
  {
    name: WebhookName.ManagedClusterSetBindingValidators,
    service: ServiceName.RegistrationWebhook,
    path: WebhookPath.ValidateManagedClusterSetBinding,
    group: ApiGroup.Cluster,
    resource: 'managedclustersetbindings',
    versions: ['v1beta2'],
  },
  {
    name: WebhookName.ManifestWorkValidators,
    service: ServiceName.WorkWebhook,
    path: WebhookPath.ValidateManifestWork,
    group: ApiGroup.Work,
    resource: 'manifestworks',
    versions: ['*'],
  },
  {
    name: WebhookName.ManifestWorkReplicaSetValidators,
    service: ServiceName.WorkWebhook,
    path: WebhookPath.ValidateManifestWorkReplicaSet,
    group: ApiGroup.Work,
    resource: 'manifestworkreplicasets',
    versions: ['*'],
  },
  {
    name: WebhookName.ManagedClusterAddOnValidators,
    service: ServiceName.RegistrationWebhook,
    path: WebhookPath.ValidateManagedClusterAddOn,
    group: ApiGroup.AddOn,
    resource: 'managedclusteraddons',
    versions: ['*'],
  },
];

/** The names of all configurations, for the server that keeps its CA in them. */
export const webhookNames = () => ({
  mutating: mutating.map(({ name }) => name),
  validating: validating.map(({ name }) => name),
});

const apiVersion = `${ApiGroup.AdmissionRegistration}/v1`;
const reference = (kind: string, { name }: HubWebhook) => ({ apiVersion, kind, metadata: { name } });

/** The configurations that OCM does not have: its servers do not know their paths. */
export const ownWebhooks: ReadonlySet<string> = new Set([
  WebhookName.ManifestWorkReplicaSetValidators,
  WebhookName.ManagedClusterAddOnValidators,
]);

/** The configurations by name only, to remove them. */
export const webhookReferences = (): KubeObject[] => [
  ...mutating.map((webhook) => reference('MutatingWebhookConfiguration', webhook)),
  ...validating.map((webhook) => reference('ValidatingWebhookConfiguration', webhook)),
];

/** Which writes the API server asks the webhook server about. While the server does not answer, they are refused. */
export const webhookConfigurations = (
  endpoint: WebhookEndpoint,
): (MutatingWebhookConfiguration | ValidatingWebhookConfiguration)[] => [
  ...mutating.map((webhook) => ({
    ...reference('MutatingWebhookConfiguration', webhook),
    webhooks: [webhookOf(webhook, endpoint)],
  })),
  ...validating.map((webhook) => ({
    ...reference('ValidatingWebhookConfiguration', webhook),
    webhooks: [webhookOf(webhook, endpoint)],
  })),
];

const webhookOf = (webhook: HubWebhook, endpoint: WebhookEndpoint): Webhook => ({
  name: webhook.name,
  admissionReviewVersions: ['v1beta1', 'v1'],
  failurePolicy: 'Fail',
  sideEffects: 'None',
  timeoutSeconds: 10,
  clientConfig: clientConfigOf(webhook, endpoint),
  rules: [
    {
      apiGroups: [webhook.group],
      apiVersions: [...webhook.versions],
      resources: [webhook.resource],
      operations: ['CREATE', 'UPDATE'],
    },
  ],
});

function clientConfigOf({ service: name, path }: HubWebhook, endpoint: WebhookEndpoint): Webhook['clientConfig'] {
  if (endpoint === 'services') {
    return { service: { namespace: NamespaceName.Hub, name, path, port: webhookServicePort } };
  }
  if ('url' in endpoint) return { ...endpoint, url: webhookUrl(endpoint, path) };
  const { namespace, portOf, caBundle } = endpoint;
  return { service: { namespace, name, path, port: portOf(name) }, caBundle };
}

/** The address of one webhook at a server. */
export const webhookUrl = ({ url }: WebhookAddress, path: string): string => `${url.replace(/\/$/, '')}${path}`;
