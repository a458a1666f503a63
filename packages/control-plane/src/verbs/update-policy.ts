import type { ResourceInfo } from '../schema/resource-info.ts';

/** Built-in kinds that may only be replaced by somebody who says which version they saw; custom ones all may. */
const conditional = new Set([
  'admissionregistration.k8s.io/mutatingwebhookconfigurations',
  'admissionregistration.k8s.io/validatingwebhookconfigurations',
  'apiextensions.k8s.io/customresourcedefinitions',
  'coordination.k8s.io/leases',
  'policy/poddisruptionbudgets',
]);

/** Kinds that a replacement of something that is not there creates. */
const created = new Set([
  '/endpoints',
  '/events',
  '/limitranges',
  '/services',
  'coordination.k8s.io/leases',
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
