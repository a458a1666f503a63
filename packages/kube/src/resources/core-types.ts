import type {
  CoreV1Event,
  EventsV1Event,
  V1APIService,
  V1CertificateSigningRequest,
  V1ClusterRole,
  V1ClusterRoleBinding,
  V1ConfigMap,
  V1ControllerRevision,
  V1CronJob,
  V1CustomResourceDefinition,
  V1DaemonSet,
  V1Deployment,
  V1EndpointSlice,
  V1Endpoints,
  V1Ingress,
  V1IngressClass,
  V1Job,
  V1Lease,
  V1LimitRange,
  V1LocalSubjectAccessReview,
  V1MutatingWebhookConfiguration,
  V1Namespace,
  V1NetworkPolicy,
  V1Node,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodDisruptionBudget,
  V1PriorityClass,
  V1ReplicaSet,
  V1ReplicationController,
  V1ResourceQuota,
  V1Role,
  V1RoleBinding,
  V1Secret,
  V1SelfSubjectAccessReview,
  V1SelfSubjectReview,
  V1SelfSubjectRulesReview,
  V1Service,
  V1ServiceAccount,
  V1StatefulSet,
  V1StorageClass,
  V1SubjectAccessReview,
  V1TokenReview,
  V1ValidatingAdmissionPolicy,
  V1ValidatingAdmissionPolicyBinding,
  V1ValidatingWebhookConfiguration,
  V2HorizontalPodAutoscaler,
} from '@kubernetes/client-node';
import type { Wire } from './wire.ts';

// Types of the built-in kinds, as they are on the wire.
export type Namespace = Wire<V1Namespace>;
export type Secret = Wire<V1Secret>;
export type ConfigMap = Wire<V1ConfigMap>;
export type ServiceAccount = Wire<V1ServiceAccount>;
export type Service = Wire<V1Service>;
export type Endpoints = Wire<V1Endpoints>;
export type Pod = Wire<V1Pod>;
export type Node = Wire<V1Node>;
export type PersistentVolume = Wire<V1PersistentVolume>;
export type PersistentVolumeClaim = Wire<V1PersistentVolumeClaim>;
export type ReplicationController = Wire<V1ReplicationController>;
export type ResourceQuota = Wire<V1ResourceQuota>;
export type LimitRange = Wire<V1LimitRange>;
export type CoreEvent = Wire<CoreV1Event>;
export type Deployment = Wire<V1Deployment>;
export type ReplicaSet = Wire<V1ReplicaSet>;
export type StatefulSet = Wire<V1StatefulSet>;
export type DaemonSet = Wire<V1DaemonSet>;
export type ControllerRevision = Wire<V1ControllerRevision>;
export type Job = Wire<V1Job>;
export type CronJob = Wire<V1CronJob>;
export type Role = Wire<V1Role>;
export type RoleBinding = Wire<V1RoleBinding>;
export type ClusterRole = Wire<V1ClusterRole>;
export type ClusterRoleBinding = Wire<V1ClusterRoleBinding>;
export type CertificateSigningRequest = Wire<V1CertificateSigningRequest>;
export type Lease = Wire<V1Lease>;
export type Event = Wire<EventsV1Event>;
export type CustomResourceDefinition = Wire<V1CustomResourceDefinition>;
export type APIService = Wire<V1APIService>;
export type MutatingWebhookConfiguration = Wire<V1MutatingWebhookConfiguration>;
export type ValidatingWebhookConfiguration = Wire<V1ValidatingWebhookConfiguration>;
export type ValidatingAdmissionPolicy = Wire<V1ValidatingAdmissionPolicy>;
export type ValidatingAdmissionPolicyBinding = Wire<V1ValidatingAdmissionPolicyBinding>;
export type NetworkPolicy = Wire<V1NetworkPolicy>;
export type Ingress = Wire<V1Ingress>;
export type IngressClass = Wire<V1IngressClass>;
export type PodDisruptionBudget = Wire<V1PodDisruptionBudget>;
export type PriorityClass = Wire<V1PriorityClass>;
export type StorageClass = Wire<V1StorageClass>;
export type HorizontalPodAutoscaler = Wire<V2HorizontalPodAutoscaler>;
export type EndpointSlice = Wire<V1EndpointSlice>;
export type TokenReview = Wire<V1TokenReview>;
export type SelfSubjectReview = Wire<V1SelfSubjectReview>;
export type SubjectAccessReview = Wire<V1SubjectAccessReview>;
export type SelfSubjectAccessReview = Wire<V1SelfSubjectAccessReview>;
export type SelfSubjectRulesReview = Wire<V1SelfSubjectRulesReview>;
export type LocalSubjectAccessReview = Wire<V1LocalSubjectAccessReview>;
