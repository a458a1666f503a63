import type { Field, TextCheck } from '../../field.ts';
import { dnsLabel, dnsSubdomain, pathSegment } from '../../names.ts';
import { validateAdmissionPolicy, validateAdmissionPolicyBinding } from './admission-policies.ts';
import { validateApiService } from './api-services.ts';
import { validateAutoscaler } from './autoscaling.ts';
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
import { validateFlowSchema, validatePriorityLevel } from './flow-control.ts';
import { validateCronJob, validateJob } from './jobs.ts';
import { validateEndpointSlice, validateIngress, validateIngressClass, validateNetworkPolicy } from './network.ts';
import { validatePod } from './pod.ts';
import { validateDisruptionBudget, validateLease, validatePriorityClass } from './policy.ts';
import { validateResourceQuota } from './quota.ts';
import { validatePodTemplateObject, validateReplicationController } from './replication-controller.ts';
import { validateRuntimeClass } from './runtime-classes.ts';
import { validateService } from './service.ts';
import {
  validateCsiDriver,
  validateCsiNode,
  validateCsiStorageCapacity,
  validateStorageClass,
  validateVolumeAttachment,
  validateVolumeAttributesClass,
} from './storage.ts';
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
  '/podtemplates': validatePodTemplateObject,
  '/replicationcontrollers': validateReplicationController,
  '/resourcequotas': validateResourceQuota,
  '/secrets': validateSecret,
  '/services': validateService,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': validateMutatingWebhooks,
  'admissionregistration.k8s.io/validatingadmissionpolicies': validateAdmissionPolicy,
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': validateAdmissionPolicyBinding,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': validateValidatingWebhooks,
  'apiregistration.k8s.io/apiservices': validateApiService,
  'apps/controllerrevisions': validateControllerRevision,
  'apps/daemonsets': validateDaemonSet,
  'apps/deployments': validateDeployment,
  'apps/replicasets': validateReplicaSet,
  'apps/statefulsets': validateStatefulSet,
  'autoscaling/horizontalpodautoscalers': validateAutoscaler,
  'batch/cronjobs': validateCronJob,
  'batch/jobs': validateJob,
  'certificates.k8s.io/certificatesigningrequests': validateSigningRequest,
  'coordination.k8s.io/leases': validateLease,
  'discovery.k8s.io/endpointslices': validateEndpointSlice,
  'flowcontrol.apiserver.k8s.io/flowschemas': validateFlowSchema,
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': validatePriorityLevel,
  'networking.k8s.io/ingressclasses': validateIngressClass,
  'networking.k8s.io/ingresses': validateIngress,
  'networking.k8s.io/networkpolicies': validateNetworkPolicy,
  'node.k8s.io/runtimeclasses': validateRuntimeClass,
  'policy/poddisruptionbudgets': validateDisruptionBudget,
  'scheduling.k8s.io/priorityclasses': validatePriorityClass,
  'storage.k8s.io/csidrivers': validateCsiDriver,
  'storage.k8s.io/csinodes': validateCsiNode,
  'storage.k8s.io/csistoragecapacities': validateCsiStorageCapacity,
  'storage.k8s.io/storageclasses': validateStorageClass,
  'storage.k8s.io/volumeattachments': validateVolumeAttachment,
  'storage.k8s.io/volumeattributesclasses': validateVolumeAttributesClass,
};

/** Names are DNS subdomains but for these. */
const nameChecks: Readonly<Record<string, TextCheck>> = {
  '/namespaces': dnsLabel,
  '/services': dnsLabel,
  'apiregistration.k8s.io/apiservices': pathSegment,
  'rbac.authorization.k8s.io/clusterrolebindings': pathSegment,
  'rbac.authorization.k8s.io/clusterroles': pathSegment,
  'rbac.authorization.k8s.io/rolebindings': pathSegment,
  'rbac.authorization.k8s.io/roles': pathSegment,
};

export const nameCheckOf = (storage: string): TextCheck => nameChecks[storage] ?? dnsSubdomain;
