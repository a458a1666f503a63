import { constantsOf, type NameTable } from './name-table.ts';

export const addOnFeatureValueTable = {
  Available: { value: 'available', on: ['ManagedCluster'], meaning: 'Condition Available of the add-on is True.' },
  Unhealthy: { value: 'unhealthy', on: ['ManagedCluster'], meaning: 'Condition Available of the add-on is False.' },
  Unreachable: {
    value: 'unreachable',
    on: ['ManagedCluster'],
    meaning: 'Condition Available of the add-on is Unknown or missing.',
  },
} as const satisfies NameTable;

export const inventoryManagerValueTable = {
  OpenClusterManagement: {
    value: 'open-cluster-management',
    on: ['ClusterProfile'],
    meaning: 'Cluster manager name and label value of the profiles that OCM owns.',
  },
} as const satisfies NameTable;

export const appLabelValueTable = {
  ClusterManager: {
    value: 'cluster-manager',
    on: ['Deployment', 'Pod', 'Secret'],
    meaning: 'The hub operator, and what the CLI makes for the hub.',
  },
  Klusterlet: {
    value: 'klusterlet',
    on: ['Deployment', 'Pod', 'Secret'],
    meaning: 'The klusterlet operator, and what the CLI makes for it.',
  },
  RegistrationController: {
    value: 'clustermanager-registration-controller',
    on: ['Pod'],
    meaning: 'Hub registration controller.',
  },
  PlacementController: {
    value: 'clustermanager-placement-controller',
    on: ['Pod'],
    meaning: 'Hub placement controller.',
  },
  AddOnManagerController: {
    value: 'clustermanager-addon-manager-controller',
    on: ['Pod'],
    meaning: 'Hub add-on manager.',
  },
  RegistrationAgent: { value: 'klusterlet-registration-agent', on: ['Pod'], meaning: 'Registration agent.' },
  WorkAgent: { value: 'klusterlet-manifestwork-agent', on: ['Pod'], meaning: 'Work agent.' },
  SingletonAgent: { value: 'klusterlet-agent', on: ['Pod'], meaning: 'Registration and work agent in one process.' },
} as const satisfies NameTable;

/** Values of the labels `Label.AddOnFeature`. */
export const AddOnFeatureValue = /* @__PURE__ */ constantsOf(addOnFeatureValueTable);

/** Values of the label `Label.InventoryManager`. */
export const InventoryManagerValue = /* @__PURE__ */ constantsOf(inventoryManagerValueTable);

/** Values of the label `Label.App`. */
export const AppLabelValue = /* @__PURE__ */ constantsOf(appLabelValueTable);
