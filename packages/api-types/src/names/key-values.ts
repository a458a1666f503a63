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

export const addOnLifecycleValueTable = {
  AddOnManager: { value: 'addon-manager', on: ['ClusterManagementAddOn'], meaning: 'The hub installs the add-on.' },
  Self: { value: 'self', on: ['ClusterManagementAddOn'], meaning: 'The author of the add-on installs it.' },
} as const satisfies NameTable;

export const hostedManifestLocationValueTable = {
  Managed: { value: 'managed', on: ['*'], meaning: 'Apply on the managed cluster (the default).' },
  Hosting: { value: 'hosting', on: ['*'], meaning: 'Apply on the hosting cluster.' },
  None: { value: 'none', on: ['*'], meaning: 'Apply nowhere in hosted mode.' },
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

/** Values of the annotation `Annotation.AddOnLifecycle`. */
export const AddOnLifecycleValue = /* @__PURE__ */ constantsOf(addOnLifecycleValueTable);

/** Values of the annotation `Annotation.HostedManifestLocation`. */
export const HostedManifestLocationValue = /* @__PURE__ */ constantsOf(hostedManifestLocationValueTable);

/** Values of the label `Label.InventoryManager`. */
export const InventoryManagerValue = /* @__PURE__ */ constantsOf(inventoryManagerValueTable);

/** Values of the label `Label.App`. */
export const AppLabelValue = /* @__PURE__ */ constantsOf(appLabelValueTable);
