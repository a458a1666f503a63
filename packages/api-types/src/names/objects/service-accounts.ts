import { composed } from '../composed.ts';
import { constantsOf, type NameTable } from '../name-table.ts';

export const serviceAccountTable = {
  AgentRegistrationBootstrap: {
    value: 'agent-registration-bootstrap',
    on: ['ServiceAccount'],
    meaning: 'Whose token new clusters are given to join.',
  },
  LegacyBootstrap: {
    value: 'cluster-bootstrap',
    on: ['ServiceAccount'],
    meaning: 'The bootstrap account of earlier releases, which the CLI cleans up.',
  },
  RegistrationController: { value: 'registration-controller-sa', on: ['ServiceAccount'], meaning: 'Hub registration.' },
  RegistrationWebhook: { value: 'registration-webhook-sa', on: ['ServiceAccount'], meaning: 'Registration webhook.' },
  WorkController: { value: 'work-controller-sa', on: ['ServiceAccount'], meaning: 'Hub work controller.' },
  WorkWebhook: { value: 'work-webhook-sa', on: ['ServiceAccount'], meaning: 'Work webhook.' },
  PlacementController: { value: 'placement-controller-sa', on: ['ServiceAccount'], meaning: 'Placement controller.' },
  AddOnManagerController: {
    value: 'addon-manager-controller-sa',
    on: ['ServiceAccount'],
    meaning: 'Add-on manager; needs to read the CA secrets of custom signers.',
  },
  AddOnWebhook: { value: 'addon-webhook-sa', on: ['ServiceAccount'], meaning: 'Add-on conversion webhook.' },
  GrpcServer: {
    value: 'grpc-server-sa',
    on: ['ServiceAccount'],
    meaning: 'gRPC server, which creates signing requests for agents.',
  },
  ClusterManager: { value: 'cluster-manager', on: ['ServiceAccount'], meaning: 'Hub operator.' },
  Klusterlet: { value: 'klusterlet', on: ['ServiceAccount'], meaning: 'Klusterlet operator.' },
  RegistrationAgent: composed('{klusterlet}-registration-sa', ['ServiceAccount'], 'Registration agent.'),
  WorkAgent: composed('{klusterlet}-work-sa', ['ServiceAccount'], 'Work agent, and the singleton agent.'),
  DefaultExecutor: {
    value: 'klusterlet-work-sa',
    on: ['ServiceAccount', 'ManifestWork'],
    meaning: 'Who is asked about when a work names no executor.',
  },
  AddOnAgent: composed(
    '{addOn}-agent',
    ['ServiceAccount'],
    'An add-on that registers by token, on the hub; also the agent name of template add-ons.',
  ),
  ClusterProxy: {
    value: 'cluster-proxy-sa',
    on: ['ServiceAccount'],
    meaning: 'As whom the API runs by which users of the hub reach clusters. Not in OCM.',
  },
  PushAgents: {
    value: 'push-agents-sa',
    on: ['ServiceAccount'],
    meaning: 'As whom the agents of clusters run that the hub reaches itself. Not in OCM.',
  },
} as const satisfies NameTable;

/** Service accounts. */
export const ServiceAccountName = /* @__PURE__ */ constantsOf(serviceAccountTable);
