import type { Field, TextCheck } from '../../field.ts';
import { dnsLabel, dnsSubdomain, pathSegment } from '../../names.ts';
import { validateSigningRequest } from './certificates.ts';
import { validateClaim, validateVolume } from './claims.ts';
import {
  validateConfigMap,
  validateEndpoints,
  validateEvent,
  validateLimitRange,
  validateNamespace,
  validateNode,
  validateSecret,
} from './core.ts';
import { validateCronJob, validateJob } from './jobs.ts';
import { validateEndpointSlice, validateIngress, validateIngressClass, validateNetworkPolicy } from './network.ts';
import { validatePod } from './pod.ts';
import { validateDisruptionBudget, validateLease, validatePriorityClass } from './policy.ts';
import { validateService } from './service.ts';
import { validateMutatingWebhooks, validateValidatingWebhooks } from './webhooks.ts';
import {
  validateControllerRevision,
  validateDaemonSet,
  validateDeployment,
  validateReplicaSet,
  validateStatefulSet,
} from './workloads.ts';

/** The rules of a kind beyond its shape; `old` is what an update replaces. */
export type KindValidator = (object: Field, old?: Field) => void;

/** The rules of the built-in kinds, by where they are stored. */
export const builtInValidators: Readonly<Record<string, KindValidator>> = {
  '/configmaps': validateConfigMap,
  '/endpoints': validateEndpoints,
  '/events': validateEvent,
  '/limitranges': validateLimitRange,
  '/namespaces': validateNamespace,
  '/nodes': validateNode,
  '/persistentvolumeclaims': validateClaim,
  '/persistentvolumes': validateVolume,
  '/pods': validatePod,
  '/secrets': validateSecret,
  '/services': validateService,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': validateMutatingWebhooks,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': validateValidatingWebhooks,
  'apps/controllerrevisions': validateControllerRevision,
  'apps/daemonsets': validateDaemonSet,
  'apps/deployments': validateDeployment,
  'apps/replicasets': validateReplicaSet,
  'apps/statefulsets': validateStatefulSet,
  'batch/cronjobs': validateCronJob,
  'batch/jobs': validateJob,
  'certificates.k8s.io/certificatesigningrequests': validateSigningRequest,
  'coordination.k8s.io/leases': validateLease,
  'discovery.k8s.io/endpointslices': validateEndpointSlice,
  'networking.k8s.io/ingressclasses': validateIngressClass,
  'networking.k8s.io/ingresses': validateIngress,
  'networking.k8s.io/networkpolicies': validateNetworkPolicy,
  'policy/poddisruptionbudgets': validateDisruptionBudget,
  'scheduling.k8s.io/priorityclasses': validatePriorityClass,
};

/** Names are DNS subdomains but for these. */
const nameChecks: Readonly<Record<string, TextCheck>> = {
  '/namespaces': dnsLabel,
  '/services': dnsLabel,
  'rbac.authorization.k8s.io/clusterrolebindings': pathSegment,
  'rbac.authorization.k8s.io/clusterroles': pathSegment,
  'rbac.authorization.k8s.io/rolebindings': pathSegment,
  'rbac.authorization.k8s.io/roles': pathSegment,
};

export const nameCheckOf = (storage: string): TextCheck => nameChecks[storage] ?? dnsSubdomain;
