import { constantsOf, type NameTable } from '../name-table.ts';

export const webhookTable = {
  ManagedClusterValidators: {
    value: 'managedclustervalidators.admission.cluster.open-cluster-management.io',
    on: ['ValidatingWebhookConfiguration'],
    meaning: 'Validates ManagedClusters.',
  },
  ManagedClusterMutators: {
    value: 'managedclustermutators.admission.cluster.open-cluster-management.io',
    on: ['MutatingWebhookConfiguration'],
    meaning: 'Stamps taints of ManagedClusters and puts them into the default set.',
  },
  ManagedClusterSetBindingValidators: {
    value: 'managedclustersetbindingvalidators.admission.cluster.open-cluster-management.io',
    on: ['ValidatingWebhookConfiguration'],
    meaning: 'Validates ManagedClusterSetBindings.',
  },
  ManifestWorkValidators: {
    value: 'manifestworkvalidators.admission.work.open-cluster-management.io',
    on: ['ValidatingWebhookConfiguration'],
    meaning: 'Validates ManifestWorks.',
  },
  ManifestWorkReplicaSetValidators: {
    value: 'manifestworkreplicasetvalidators.admission.work.open-cluster-management.io',
    on: ['ValidatingWebhookConfiguration'],
    meaning: 'Validates ManifestWorkReplicaSets. OCM registers no such webhook.',
  },
  ManagedClusterAddOnValidators: {
    value: 'managedclusteraddonvalidators.admission.addon.open-cluster-management.io',
    on: ['ValidatingWebhookConfiguration'],
    meaning: 'Validates ManagedClusterAddOns. OCM has no such webhook.',
  },
} as const satisfies NameTable;

export const webhookPathTable = {
  ValidateManagedCluster: {
    value: '/validate-cluster-open-cluster-management-io-v1-managedcluster',
    on: ['ManagedCluster'],
    meaning: 'Validation of ManagedClusters.',
  },
  MutateManagedCluster: {
    value: '/mutate-cluster-open-cluster-management-io-v1-managedcluster',
    on: ['ManagedCluster'],
    meaning: 'Mutation of ManagedClusters.',
  },
  ValidateManagedClusterSetBinding: {
    value: '/validate-cluster-open-cluster-management-io-v1beta2-managedclustersetbinding',
    on: ['ManagedClusterSetBinding'],
    meaning: 'Validation of ManagedClusterSetBindings.',
  },
  ValidateManifestWork: {
    value: '/validate-work-open-cluster-management-io-v1-manifestwork',
    on: ['ManifestWork'],
    meaning: 'Validation of ManifestWorks.',
  },
  ValidateManifestWorkReplicaSet: {
    value: '/validate-work-open-cluster-management-io-v1alpha1-manifestworkreplicaset',
    on: ['ManifestWorkReplicaSet'],
    meaning: 'Validation of ManifestWorkReplicaSets. No configuration of OCM calls it.',
  },
  ValidateManagedClusterAddOn: {
    value: '/validate-addon-open-cluster-management-io-v1beta1-managedclusteraddon',
    on: ['ManagedClusterAddOn'],
    meaning: 'Validation of ManagedClusterAddOns. OCM has none.',
  },
  Convert: {
    value: '/convert',
    on: ['ClusterManagementAddOn', 'ManagedClusterAddOn'],
    meaning: 'Conversion between v1alpha1 and v1beta1.',
  },
} as const satisfies NameTable;

/** Webhook configurations, and the one webhook in each. */
export const WebhookName = /* @__PURE__ */ constantsOf(webhookTable);

/** Paths at which webhooks are served. */
export const WebhookPath = /* @__PURE__ */ constantsOf(webhookPathTable);
