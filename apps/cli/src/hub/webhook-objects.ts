import { ApiGroup, type KubeObject, NamespaceName, ServiceName, WebhookName, WebhookPath } from '@flotilla/api-types';
import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@flotilla/kube';
import { asMadeByCli } from '../ownership.ts';

type ValidatingWebhook = NonNullable<ValidatingWebhookConfiguration['webhooks']>[number];

/** Where the API server asks webhooks outside of the cluster. */
export interface WebhookAddress {
  readonly url: string;
  /** Base64 of PEM. */
  readonly caBundle?: string;
}

/** The names of all configurations, for whoever keeps their CA. */
export const webhookNames = () => ({
  mutating: mutating.map(({ name }) => name),
  validating: validating.map(({ name }) => name),
});

/** One webhook of the hub: which writes it is asked about, and where. */
interface HubWebhook {
  readonly name: string;
  readonly path: string;
  readonly service: string;
  readonly group: string;
  readonly resource: string;
  readonly versions: readonly string[];
}

const mutating: readonly HubWebhook[] = [
  {
    name: WebhookName.ManagedClusterMutators,
    path: WebhookPath.MutateManagedCluster,
    service: ServiceName.RegistrationWebhook,
    group: ApiGroup.Cluster,
    resource: 'managedclusters',
    versions: ['*'],
  },
];

const validating: readonly HubWebhook[] = [
  {
    name: WebhookName.ManagedClusterValidators,
    path: WebhookPath.ValidateManagedCluster,
    service: ServiceName.RegistrationWebhook,
    group: ApiGroup.Cluster,
    resource: 'managedclusters',
    versions: ['*'],
  },
  {
    name: WebhookName.ManagedClusterSetBindingValidators,
    path: WebhookPath.ValidateManagedClusterSetBinding,
    service: ServiceName.RegistrationWebhook,
    group: ApiGroup.Cluster,
    resource: 'managedclustersetbindings',
    versions: ['v1beta2'],
  },
  {
    name: WebhookName.ManifestWorkValidators,
    path: WebhookPath.ValidateManifestWork,
    service: ServiceName.WorkWebhook,
    group: ApiGroup.Work,
    resource: 'manifestworks',
    versions: ['*'],
  },
];

/**
 * What the API server asks the hub about. Without an address it asks the Service of the deployed webhook server, and goes on if
 * there is none: the programs of the hub may run outside of the cluster, and clusters must be able to join all the same.
 * With an address the answer is binding. The server puts its CA in by itself, so it need not be known.
 */
export const webhookObjects = (address?: WebhookAddress): KubeObject[] => {
  const apiVersion = `${ApiGroup.AdmissionRegistration}/v1`;
  const configurations: (MutatingWebhookConfiguration | ValidatingWebhookConfiguration)[] = [
    ...mutating.map((webhook) => ({
      apiVersion,
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: webhook.name },
      webhooks: [webhookOf(webhook, address)],
    })),
    ...validating.map((webhook) => ({
      apiVersion,
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: webhook.name },
      webhooks: [webhookOf(webhook, address)],
    })),
  ];
  return configurations.map(asMadeByCli);
};

const webhookOf = (webhook: HubWebhook, address: WebhookAddress | undefined): ValidatingWebhook => ({
  name: webhook.name,
  admissionReviewVersions: ['v1beta1', 'v1'],
  failurePolicy: address === undefined ? 'Ignore' : 'Fail',
  sideEffects: 'None',
  timeoutSeconds: 10,
  clientConfig:
    address === undefined
      ? { service: { namespace: NamespaceName.Hub, name: webhook.service, path: webhook.path, port: 9443 } }
      : { ...address, url: `${address.url.replace(/\/$/, '')}${webhook.path}` },
  rules: [
    {
      apiGroups: [webhook.group],
      apiVersions: [...webhook.versions],
      resources: [webhook.resource],
      operations: ['CREATE', 'UPDATE'],
    },
  ],
});
