import { defaultAutoscaler } from './autoscaling.ts';
import {
  defaultEndpointSlice,
  defaultEndpoints,
  defaultLease,
  defaultLimitRange,
  defaultNamespace,
  defaultNode,
  defaultSecret,
} from './core.ts';
import type { Defaulter } from './fill.ts';
import { defaultFlowSchema, defaultPriorityLevel } from './flow-control.ts';
import { defaultPod } from './pod.ts';
import {
  defaultAdmissionPolicy,
  defaultAdmissionPolicyBinding,
  defaultApiService,
  defaultIngressClass,
  defaultMutatingWebhooks,
  defaultNetworkPolicy,
  defaultPriorityClass,
  defaultRoleBinding,
  defaultValidatingWebhooks,
} from './policy.ts';
import { defaultService } from './service.ts';
import { defaultCsiDriver, defaultStorageClass } from './storage.ts';
import {
  defaultClaim,
  defaultCronJob,
  defaultDaemonSet,
  defaultDeployment,
  defaultJob,
  defaultPodTemplateObject,
  defaultReplicaSet,
  defaultReplicationController,
  defaultStatefulSet,
  defaultVolume,
} from './workloads.ts';

/** The defaults of the built-in kinds that have any, by where they are stored. */
export const builtInDefaults: Readonly<Record<string, Defaulter>> = {
  '/endpoints': defaultEndpoints,
  '/limitranges': defaultLimitRange,
  '/namespaces': defaultNamespace,
  '/nodes': defaultNode,
  '/persistentvolumeclaims': defaultClaim,
  '/persistentvolumes': defaultVolume,
  '/pods': defaultPod,
  '/podtemplates': defaultPodTemplateObject,
  '/replicationcontrollers': defaultReplicationController,
  '/secrets': defaultSecret,
  '/services': defaultService,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': defaultMutatingWebhooks,
  'admissionregistration.k8s.io/validatingadmissionpolicies': defaultAdmissionPolicy,
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': defaultAdmissionPolicyBinding,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': defaultValidatingWebhooks,
  'apiregistration.k8s.io/apiservices': defaultApiService,
  'apps/daemonsets': defaultDaemonSet,
  'apps/deployments': defaultDeployment,
  'apps/replicasets': defaultReplicaSet,
  'apps/statefulsets': defaultStatefulSet,
  'autoscaling/horizontalpodautoscalers': defaultAutoscaler,
  'batch/cronjobs': defaultCronJob,
  'batch/jobs': defaultJob,
  'coordination.k8s.io/leases': defaultLease,
  'discovery.k8s.io/endpointslices': defaultEndpointSlice,
  'flowcontrol.apiserver.k8s.io/flowschemas': defaultFlowSchema,
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': defaultPriorityLevel,
  'networking.k8s.io/ingressclasses': defaultIngressClass,
  'networking.k8s.io/networkpolicies': defaultNetworkPolicy,
  'rbac.authorization.k8s.io/clusterrolebindings': defaultRoleBinding,
  'rbac.authorization.k8s.io/rolebindings': defaultRoleBinding,
  'scheduling.k8s.io/priorityclasses': defaultPriorityClass,
  'storage.k8s.io/csidrivers': defaultCsiDriver,
  'storage.k8s.io/storageclasses': defaultStorageClass,
};
