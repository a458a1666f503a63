import { composed } from '../composed.ts';
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

/** Deployments. */
export const DeploymentName = /* @__PURE__ */ constantsOf(deploymentTable);

/** Services. */
export const ServiceName = /* @__PURE__ */ constantsOf(serviceTable);
