import { composed } from '../composed.ts';
import { constantsOf, type NameTable } from '../name-table.ts';

export const leaseTable = {
  ManagedCluster: {
    value: 'managed-cluster-lease',
    on: ['Lease'],
    meaning: 'Heartbeat of a cluster in its namespace: made by the hub, renewed by the agent; also its holder.',
  },
  LeaderElection: composed(
    '{component}-lock',
    ['Lease'],
    'Leader election of a component, in its namespace; the components are in LeaderElectionComponent.',
  ),
} as const satisfies NameTable;

export const leaderElectionComponentTable = {
  RegistrationController: { value: 'registration-controller', on: ['Lease'], meaning: 'Hub registration.' },
  RegistrationAgent: { value: 'registration-agent', on: ['Lease'], meaning: 'Registration agent.' },
  KlusterletAgent: { value: 'klusterlet-agent', on: ['Lease'], meaning: 'Singleton agent.' },
  WorkAgent: { value: 'work-agent', on: ['Lease'], meaning: 'Work agent.' },
  WorkManager: { value: 'work-manager', on: ['Lease'], meaning: 'Hub work controller.' },
  Placement: { value: 'placement', on: ['Lease'], meaning: 'Placement controller.' },
  AddOnManager: { value: 'manager', on: ['Lease'], meaning: 'Add-on manager, which upstream names so barely.' },
  ClusterManager: { value: 'clustermanager', on: ['Lease'], meaning: 'Hub operator.' },
  Klusterlet: { value: 'klusterlet', on: ['Lease'], meaning: 'Klusterlet operator.' },
} as const satisfies NameTable;

/** Leases. An add-on has one too, named like itself, in its install namespace. */
export const LeaseName = /* @__PURE__ */ constantsOf(leaseTable);

/** Components that elect a leader, see `LeaseName.LeaderElection`. */
export const LeaderElectionComponent = /* @__PURE__ */ constantsOf(leaderElectionComponentTable);
