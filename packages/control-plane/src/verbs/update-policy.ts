import type { ResourceInfo } from '../contracts/resource-info.ts';

/** Built-in kinds whose update must name a resource version; custom resources need it always. */
const conditional = new Set([
  'admissionregistration.k8s.io/mutatingwebhookconfigurations',
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings',
  'admissionregistration.k8s.io/validatingwebhookconfigurations',
  'apiextensions.k8s.io/customresourcedefinitions',
  'apiregistration.k8s.io/apiservices',
  'coordination.k8s.io/leases',
  'node.k8s.io/runtimeclasses',
  'policy/poddisruptionbudgets',
  'storage.k8s.io/csidrivers',
  'storage.k8s.io/csinodes',
  'storage.k8s.io/csistoragecapacities',
  'storage.k8s.io/volumeattachments',
]);

/** Kinds that a replacement of something that is not there creates. */
const created = new Set([
  '/endpoints',
  '/events',
  '/limitranges',
  '/services',
  'coordination.k8s.io/leases',
  'node.k8s.io/runtimeclasses',
  'rbac.authorization.k8s.io/clusterrolebindings',
  'rbac.authorization.k8s.io/clusterroles',
  'rbac.authorization.k8s.io/rolebindings',
  'rbac.authorization.k8s.io/roles',
]);

/** Whether an update must name the resource version that it replaces. */
export const needsResourceVersion = ({ source, storage }: ResourceInfo): boolean =>
  source === 'custom' || conditional.has(storage);

/** Whether an update of something that is not there creates it. */
export const createdByUpdate = ({ storage }: ResourceInfo): boolean => created.has(storage);
