import { composed } from '../composed.ts';
import { constantsOf, type NameTable } from '../name-table.ts';

export const serviceTable = {
  RegistrationWebhook: {
    value: 'cluster-manager-registration-webhook',
    on: ['Service'],
    meaning: 'Registration webhook, whatever the ClusterManager is called.',
  },
  WorkWebhook: { value: 'cluster-manager-work-webhook', on: ['Service'], meaning: 'Work webhook, likewise.' },
  AddOnWebhook: { value: 'cluster-manager-addon-webhook', on: ['Service'], meaning: 'Conversion webhook, likewise.' },
  GrpcServer: composed(
    '{clusterManager}-grpc-server',
    ['Service'],
    'gRPC server, for clusters without the API server.',
  ),
  PlacementDebugServer: composed('{clusterManager}-placement', ['Service'], 'Simulations of placements.'),
} as const satisfies NameTable;

/** Services. */
export const ServiceName = /* @__PURE__ */ constantsOf(serviceTable);
