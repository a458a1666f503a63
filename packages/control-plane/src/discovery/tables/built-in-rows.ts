import type { RowPrinter } from './cell.ts';
import {
  bindingRow,
  certificateSigningRequestRow,
  configMapRow,
  leaseRow,
  namespaceRow,
  nodeRow,
  priorityClassRow,
  secretRow,
  serviceAccountRow,
  webhooksRow,
} from './cells/cluster.ts';
import { eventRow } from './cells/events.ts';
import {
  endpointSliceRow,
  endpointsRow,
  ingressClassRow,
  ingressRow,
  networkPolicyRow,
  serviceRow,
} from './cells/networking.ts';
import { podRow } from './cells/pods.ts';
import { persistentVolumeClaimRow, persistentVolumeRow } from './cells/volumes.ts';
import {
  controllerRevisionRow,
  cronJobRow,
  daemonSetRow,
  deploymentRow,
  jobRow,
  podDisruptionBudgetRow,
  replicaSetRow,
  statefulSetRow,
} from './cells/workloads.ts';

/** How the built-in kinds are shown, by where they are stored. Kinds that are not here show their name and when they were created. */
export const builtInRows: Readonly<Record<string, RowPrinter>> = {
  '/configmaps': configMapRow,
  '/endpoints': endpointsRow,
  '/events': eventRow,
  '/namespaces': namespaceRow,
  '/nodes': nodeRow,
  '/persistentvolumeclaims': persistentVolumeClaimRow,
  '/persistentvolumes': persistentVolumeRow,
  '/pods': podRow,
  '/secrets': secretRow,
  '/serviceaccounts': serviceAccountRow,
  '/services': serviceRow,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': webhooksRow,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': webhooksRow,
  'apps/controllerrevisions': controllerRevisionRow,
  'apps/daemonsets': daemonSetRow,
  'apps/deployments': deploymentRow,
  'apps/replicasets': replicaSetRow,
  'apps/statefulsets': statefulSetRow,
  'batch/cronjobs': cronJobRow,
  'batch/jobs': jobRow,
  'certificates.k8s.io/certificatesigningrequests': certificateSigningRequestRow,
  'coordination.k8s.io/leases': leaseRow,
  'discovery.k8s.io/endpointslices': endpointSliceRow,
  'networking.k8s.io/ingressclasses': ingressClassRow,
  'networking.k8s.io/ingresses': ingressRow,
  'networking.k8s.io/networkpolicies': networkPolicyRow,
  'policy/poddisruptionbudgets': podDisruptionBudgetRow,
  'rbac.authorization.k8s.io/clusterrolebindings': bindingRow,
  'rbac.authorization.k8s.io/rolebindings': bindingRow,
  'scheduling.k8s.io/priorityclasses': priorityClassRow,
};
