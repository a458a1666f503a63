import { formatted } from '../composed.ts';
import { constantsOf, type NameTable } from '../name-table.ts';

export const namespaceTable = {
  Operator: { value: 'open-cluster-management', on: ['Namespace'], meaning: 'Operators and the bootstrap account.' },
  Hub: { value: 'open-cluster-management-hub', on: ['Namespace'], meaning: 'Components of a hub in default mode.' },
  Agent: {
    value: 'open-cluster-management-agent',
    on: ['Namespace', 'Klusterlet'],
    meaning: 'Agents on a managed cluster, unless the Klusterlet names another one.',
  },
  AgentAddOn: {
    value: 'open-cluster-management-agent-addon',
    on: ['Namespace', 'ManagedClusterAddOn', 'AddOnDeploymentConfig'],
    meaning: 'Agents of add-ons, unless they choose another one.',
  },
  HostedAgent: formatted(
    'open-cluster-management-{klusterlet}',
    ['Namespace', 'Klusterlet'],
    'What a hosted klusterlet uses on its managed cluster.',
  ),
  KubePublic: {
    value: 'kube-public',
    on: ['Namespace'],
    meaning: 'Holds cluster-info, by which clusters find the hub.',
  },
  KubeSystem: { value: 'kube-system', on: ['Namespace'], meaning: 'Holds bootstrap tokens.' },
} as const satisfies NameTable;

/** Namespaces. A managed cluster has one more on the hub, named like the cluster. */
export const NamespaceName = /* @__PURE__ */ constantsOf(namespaceTable);
