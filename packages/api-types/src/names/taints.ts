import { constantsOf, type NameTable } from './name-table.ts';

export const taintKeyTable = {
  Unavailable: {
    value: 'cluster.open-cluster-management.io/unavailable',
    on: ['ManagedCluster'],
    meaning: 'The cluster says that it is not available.',
  },
  Unreachable: {
    value: 'cluster.open-cluster-management.io/unreachable',
    on: ['ManagedCluster'],
    meaning: 'Nothing is known of the cluster: it never reported, or stopped.',
  },
} as const satisfies NameTable;

export const taintEffectTable = {
  NoSelect: {
    value: 'NoSelect',
    on: ['ManagedCluster', 'Placement'],
    meaning: 'Placements that do not tolerate the taint leave the cluster out, also if it was selected before.',
  },
  PreferNoSelect: {
    value: 'PreferNoSelect',
    on: ['ManagedCluster', 'Placement'],
    meaning: 'Meant to avoid the cluster; in v1.3 it changes nothing.',
  },
  NoSelectIfNew: {
    value: 'NoSelectIfNew',
    on: ['ManagedCluster', 'Placement'],
    meaning: 'Placements that do not tolerate the taint do not newly select the cluster.',
  },
} as const satisfies NameTable;

/** Keys of the taints that the hub sets, both with effect NoSelect and without a value. */
export const TaintKey = /* @__PURE__ */ constantsOf(taintKeyTable);

/** What a taint does to placements. */
export const TaintEffect = /* @__PURE__ */ constantsOf(taintEffectTable);
