import { composed, formatted } from '../composed.ts';
import { constantsOf, type NameTable } from '../name-table.ts';

export const deploymentTable = {
  ClusterManagerOperator: { value: 'cluster-manager', on: ['Deployment'], meaning: 'Hub operator.' },
  KlusterletOperator: { value: 'klusterlet', on: ['Deployment'], meaning: 'Klusterlet operator.' },
  RegistrationController: composed('{clusterManager}-registration-controller', ['Deployment'], 'Hub registration.'),
  RegistrationWebhook: composed('{clusterManager}-registration-webhook', ['Deployment'], 'Registration webhook.'),
  WorkController: composed('{clusterManager}-work-controller', ['Deployment'], 'Hub work controller.'),
  WorkWebhook: composed('{clusterManager}-work-webhook', ['Deployment'], 'Work webhook.'),
  PlacementController: composed('{clusterManager}-placement-controller', ['Deployment'], 'Placement controller.'),
  AddOnManagerController: composed('{clusterManager}-addon-manager-controller', ['Deployment'], 'Add-on manager.'),
  AddOnWebhook: composed('{clusterManager}-addon-webhook', ['Deployment'], 'Add-on conversion webhook.'),
  GrpcServer: composed('{clusterManager}-grpc-server', ['Deployment', 'Service'], 'gRPC server and its service.'),
  RegistrationAgent: composed('{klusterlet}-registration-agent', ['Deployment'], 'Registration agent.'),
  WorkAgent: composed('{klusterlet}-work-agent', ['Deployment'], 'Work agent.'),
  SingletonAgent: composed('{klusterlet}-agent', ['Deployment'], 'Singleton agent.'),
} as const satisfies NameTable;

export const serviceTable = {
  RegistrationWebhook: {
    value: 'cluster-manager-registration-webhook',
    on: ['Service'],
    meaning: 'Registration webhook, whatever the ClusterManager is called.',
  },
  WorkWebhook: { value: 'cluster-manager-work-webhook', on: ['Service'], meaning: 'Work webhook, likewise.' },
  AddOnWebhook: { value: 'cluster-manager-addon-webhook', on: ['Service'], meaning: 'Conversion webhook, likewise.' },
  PlacementDebugServer: composed('{clusterManager}-placement', ['Service'], 'Simulations of placements.'),
} as const satisfies NameTable;

export const containerTable = {
  ClusterManagerOperator: { value: 'registration-operator', on: ['Deployment'], meaning: 'Hub operator.' },
  KlusterletOperator: { value: 'klusterlet', on: ['Deployment'], meaning: 'Klusterlet operator.' },
  RegistrationController: { value: 'hub-registration-controller', on: ['Deployment'], meaning: 'Hub registration.' },
  Webhook: composed('{clusterManager}-webhook', ['Deployment'], 'Registration webhook, and work webhook.'),
  AddOnWebhook: composed('{clusterManager}-addon-webhook', ['Deployment'], 'Add-on conversion webhook.'),
  PlacementController: { value: 'placement-controller', on: ['Deployment'], meaning: 'Placement controller.' },
  PlacementDebugServer: { value: 'debug-server', on: ['Deployment'], meaning: 'Simulations of placements.' },
  AddOnManagerController: { value: 'addon-manager-controller', on: ['Deployment'], meaning: 'Add-on manager.' },
  WorkController: composed('{clusterManager}-work-controller', ['Deployment'], 'Hub work controller.'),
  GrpcServer: { value: 'grpc-server', on: ['Deployment'], meaning: 'gRPC server.' },
  RegistrationAgent: { value: 'registration-controller', on: ['Deployment'], meaning: 'Registration agent.' },
  WorkAgent: { value: 'klusterlet-manifestwork-agent', on: ['Deployment'], meaning: 'Work agent.' },
  SingletonAgent: { value: 'klusterlet-agent', on: ['Deployment'], meaning: 'Singleton agent.' },
  LoadAwsCli: {
    value: 'load-awscli',
    on: ['Deployment'],
    meaning: 'Init container of agents with the awsirsa driver.',
  },
} as const satisfies NameTable;

export const volumeTable = {
  HubKubeconfig: {
    value: 'hub-kubeconfig',
    on: ['Deployment', 'DaemonSet'],
    meaning: 'Credentials for the hub, of agents and of template add-ons.',
  },
  AddOnSigner: formatted(
    'cert-{signer}',
    ['Deployment', 'DaemonSet'],
    'Certificate of a template add-on by a custom signer, whose slash and dots are written as dashes.',
  ),
  ProxyCaBundle: {
    value: 'proxy-ca-bundle',
    on: ['Deployment', 'DaemonSet'],
    meaning: 'CA of the proxy of a template add-on.',
  },
  // The transposed letters are upstream's.
  GrpcServerSigner: { value: 'grpc-server-singer', on: ['Deployment'], meaning: 'Key of the gRPC signer.' },
  WorkDriverConfig: { value: 'workdriverconfig', on: ['Deployment'], meaning: 'Options of the work driver.' },
} as const satisfies NameTable;

/** Deployments. */
export const DeploymentName = /* @__PURE__ */ constantsOf(deploymentTable);

/** Containers. */
export const ContainerName = /* @__PURE__ */ constantsOf(containerTable);

/** Volumes of pods. */
export const VolumeName = /* @__PURE__ */ constantsOf(volumeTable);

/** Services. */
export const ServiceName = /* @__PURE__ */ constantsOf(serviceTable);
