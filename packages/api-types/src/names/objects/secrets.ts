import { composed, formatted } from '../composed.ts';
import { constantsOf, type NameTable } from '../name-table.ts';

export const secretTable = {
  BootstrapHubKubeconfig: {
    value: 'bootstrap-hub-kubeconfig',
    on: ['Secret'],
    meaning: 'Credentials by which an agent first meets the hub.',
  },
  HubKubeconfig: {
    value: 'hub-kubeconfig-secret',
    on: ['Secret'],
    meaning: 'Credentials that the registration agent obtained.',
  },
  ExternalManagedKubeconfig: {
    value: 'external-managed-kubeconfig',
    on: ['Secret'],
    meaning: 'Kubeconfig of the managed cluster for a hosted klusterlet.',
  },
  ExternalManagedKubeconfigRegistration: {
    value: 'external-managed-kubeconfig-registration',
    on: ['Secret'],
    meaning: 'Derived from it for the registration agent.',
  },
  ExternalManagedKubeconfigWork: {
    value: 'external-managed-kubeconfig-work',
    on: ['Secret'],
    meaning: 'Derived from it for the work agent.',
  },
  ExternalManagedKubeconfigAgent: {
    value: 'external-managed-kubeconfig-agent',
    on: ['Secret'],
    meaning: 'Derived from it for the singleton agent.',
  },
  ExternalHubKubeconfig: {
    value: 'external-hub-kubeconfig',
    on: ['Secret'],
    meaning: 'Kubeconfig of the hub for a hosted ClusterManager.',
  },
  ImagePullCredentials: {
    value: 'open-cluster-management-image-pull-credentials',
    on: ['Secret'],
    meaning: 'Image pull secret, copied to wherever OCM runs pods.',
  },
  WorkDriverConfig: { value: 'work-driver-config', on: ['Secret'], meaning: 'Options of the work driver of the hub.' },
  Signer: { value: 'signer-secret', on: ['Secret'], meaning: 'CA of webhooks, gRPC server and gRPC clients.' },
  RegistrationWebhookServingCert: {
    value: 'registration-webhook-serving-cert',
    on: ['Secret'],
    meaning: 'Serving certificate of the registration webhook.',
  },
  WorkWebhookServingCert: {
    value: 'work-webhook-serving-cert',
    on: ['Secret'],
    meaning: 'Serving certificate of the work webhook.',
  },
  AddOnWebhookServingCert: {
    value: 'addon-webhook-serving-cert',
    on: ['Secret'],
    meaning: 'Serving certificate of the add-on webhook.',
  },
  GrpcServerServingCert: {
    value: 'grpc-server-serving-cert',
    on: ['Secret'],
    meaning: 'Serving certificate of the gRPC server.',
  },
  ClusterImportConfig: {
    value: 'cluster-import-config',
    on: ['Secret'],
    meaning: 'Chart values for importing the cluster in whose namespace it is.',
  },
  ServiceAccountKubeconfig: composed(
    '{serviceAccount}-kubeconfig',
    ['Secret'],
    'Kubeconfig of a hub component in hosted mode, or of a Cluster API cluster.',
  ),
  BootstrapToken: composed('bootstrap-token-{tokenId}', ['Secret'], 'A bootstrap token.', { tokenId: '[a-z0-9]{6}' }),
  AddOnHubKubeconfig: composed('{addOn}-hub-kubeconfig', ['Secret'], 'Credentials of an add-on for the hub.'),
  AddOnManagedKubeconfig: composed(
    '{addOn}-managed-kubeconfig',
    ['Secret'],
    'Credentials of a hosted add-on for its managed cluster, which the user provides.',
  ),
  AddOnClientCert: formatted(
    '{addOn}-{signer}-client-cert',
    ['Secret'],
    'Certificate of an add-on by a custom signer, whose slash is written as a dash.',
  ),
} as const satisfies NameTable;

/** Secrets. */
export const SecretName = /* @__PURE__ */ constantsOf(secretTable);

/** The bootstrap token that the CLI makes. */
export const bootstrapTokenId = 'ocmhub';
