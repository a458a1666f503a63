import { constantsOf, type NameTable } from './name-table.ts';

export const keyPrefixTable = {
  AgentAnnotation: {
    value: 'agent.open-cluster-management.io',
    on: ['ManagedCluster'],
    meaning: 'Annotations that an agent may put on its cluster; a plain text prefix, without the slash.',
  },
  AddOnAnnotation: {
    value: 'addon.open-cluster-management.io',
    on: ['ManagedCluster', 'ManagedClusterAddOn'],
    meaning: 'Annotations copied from a cluster to its add-ons; a plain text prefix, without the slash.',
  },
  LogTracing: {
    value: 'logging.open-cluster-management.io/',
    on: ['ManifestWork'],
    meaning: 'Annotations that travel with a work so that logs can be joined.',
  },
  ReservedLabel: {
    value: 'open-cluster-management.io',
    on: ['ClusterManager', 'Klusterlet'],
    meaning: 'Labels that the operators never copy from their resource to the objects they make.',
  },
} as const satisfies NameTable;

/** Prefixes by which label and annotation keys are recognised. */
export const KeyPrefix = /* @__PURE__ */ constantsOf(keyPrefixTable);
