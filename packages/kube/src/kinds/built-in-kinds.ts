import type { KubeObject, ResourceType } from '@flotilla/schema';
import type {
  APIService,
  CertificateSigningRequest,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  ControllerRevision,
  CoreEvent,
  CronJob,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  EndpointSlice,
  Endpoints,
  Event,
  HorizontalPodAutoscaler,
  Ingress,
  IngressClass,
  Job,
  Lease,
  LimitRange,
  LocalSubjectAccessReview,
  MutatingWebhookConfiguration,
  Namespace,
  NetworkPolicy,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PriorityClass,
  ReplicaSet,
  ReplicationController,
  ResourceQuota,
  Role,
  RoleBinding,
  Secret,
  SelfSubjectAccessReview,
  SelfSubjectReview,
  SelfSubjectRulesReview,
  Service,
  ServiceAccount,
  StatefulSet,
  StorageClass,
  SubjectAccessReview,
  TokenReview,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from './built-in-types.ts';

/** Makes the kinds of one group and version. */
const kindsOf = (group: string, version: string) => ({
  namespaced: <T extends KubeObject>(kind: string, plural: string): ResourceType<T> => ({
    group,
    version,
    kind,
    plural,
    namespaced: true,
  }),
  cluster: <T extends KubeObject>(kind: string, plural: string): ResourceType<T> => ({
    group,
    version,
    kind,
    plural,
    namespaced: false,
  }),
});

const coreGroup = kindsOf('', 'v1');
export const namespaces = coreGroup.cluster<Namespace>('Namespace', 'namespaces');
export const secrets = coreGroup.namespaced<Secret>('Secret', 'secrets');
export const configMaps = coreGroup.namespaced<ConfigMap>('ConfigMap', 'configmaps');
export const serviceAccounts = coreGroup.namespaced<ServiceAccount>('ServiceAccount', 'serviceaccounts');
export const services = coreGroup.namespaced<Service>('Service', 'services');
export const endpoints = coreGroup.namespaced<Endpoints>('Endpoints', 'endpoints');
export const pods = coreGroup.namespaced<Pod>('Pod', 'pods');
export const nodes = coreGroup.cluster<Node>('Node', 'nodes');
export const persistentVolumes = coreGroup.cluster<PersistentVolume>('PersistentVolume', 'persistentvolumes');
export const persistentVolumeClaims = coreGroup.namespaced<PersistentVolumeClaim>(
  'PersistentVolumeClaim',
  'persistentvolumeclaims',
);
export const replicationControllers = coreGroup.namespaced<ReplicationController>(
  'ReplicationController',
  'replicationcontrollers',
);
export const resourceQuotas = coreGroup.namespaced<ResourceQuota>('ResourceQuota', 'resourcequotas');
export const limitRanges = coreGroup.namespaced<LimitRange>('LimitRange', 'limitranges');
export const coreEvents = coreGroup.namespaced<CoreEvent>('Event', 'events');

const appsGroup = kindsOf('apps', 'v1');
export const deployments = appsGroup.namespaced<Deployment>('Deployment', 'deployments');
export const replicaSets = appsGroup.namespaced<ReplicaSet>('ReplicaSet', 'replicasets');
export const statefulSets = appsGroup.namespaced<StatefulSet>('StatefulSet', 'statefulsets');
export const daemonSets = appsGroup.namespaced<DaemonSet>('DaemonSet', 'daemonsets');
export const controllerRevisions = appsGroup.namespaced<ControllerRevision>(
  'ControllerRevision',
  'controllerrevisions',
);

const batchGroup = kindsOf('batch', 'v1');
export const jobs = batchGroup.namespaced<Job>('Job', 'jobs');
export const cronJobs = batchGroup.namespaced<CronJob>('CronJob', 'cronjobs');

const rbacGroup = kindsOf('rbac.authorization.k8s.io', 'v1');
export const roles = rbacGroup.namespaced<Role>('Role', 'roles');
export const roleBindings = rbacGroup.namespaced<RoleBinding>('RoleBinding', 'rolebindings');
export const clusterRoles = rbacGroup.cluster<ClusterRole>('ClusterRole', 'clusterroles');
export const clusterRoleBindings = rbacGroup.cluster<ClusterRoleBinding>('ClusterRoleBinding', 'clusterrolebindings');

const certificatesGroup = kindsOf('certificates.k8s.io', 'v1');
export const certificateSigningRequests = certificatesGroup.cluster<CertificateSigningRequest>(
  'CertificateSigningRequest',
  'certificatesigningrequests',
);

const coordinationGroup = kindsOf('coordination.k8s.io', 'v1');
export const leases = coordinationGroup.namespaced<Lease>('Lease', 'leases');

const eventsGroup = kindsOf('events.k8s.io', 'v1');
export const events = eventsGroup.namespaced<Event>('Event', 'events');

const apiextensionsGroup = kindsOf('apiextensions.k8s.io', 'v1');
export const customResourceDefinitions = apiextensionsGroup.cluster<CustomResourceDefinition>(
  'CustomResourceDefinition',
  'customresourcedefinitions',
);

const apiregistrationGroup = kindsOf('apiregistration.k8s.io', 'v1');
export const apiServices = apiregistrationGroup.cluster<APIService>('APIService', 'apiservices');

const admissionregistrationGroup = kindsOf('admissionregistration.k8s.io', 'v1');
export const mutatingWebhookConfigurations = admissionregistrationGroup.cluster<MutatingWebhookConfiguration>(
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
);
export const validatingWebhookConfigurations = admissionregistrationGroup.cluster<ValidatingWebhookConfiguration>(
  'ValidatingWebhookConfiguration',
  'validatingwebhookconfigurations',
);
export const validatingAdmissionPolicies = admissionregistrationGroup.cluster<ValidatingAdmissionPolicy>(
  'ValidatingAdmissionPolicy',
  'validatingadmissionpolicies',
);
export const validatingAdmissionPolicyBindings = admissionregistrationGroup.cluster<ValidatingAdmissionPolicyBinding>(
  'ValidatingAdmissionPolicyBinding',
  'validatingadmissionpolicybindings',
);

const networkingGroup = kindsOf('networking.k8s.io', 'v1');
export const networkPolicies = networkingGroup.namespaced<NetworkPolicy>('NetworkPolicy', 'networkpolicies');
export const ingresses = networkingGroup.namespaced<Ingress>('Ingress', 'ingresses');
export const ingressClasses = networkingGroup.cluster<IngressClass>('IngressClass', 'ingressclasses');

const policyGroup = kindsOf('policy', 'v1');
export const podDisruptionBudgets = policyGroup.namespaced<PodDisruptionBudget>(
  'PodDisruptionBudget',
  'poddisruptionbudgets',
);

const schedulingGroup = kindsOf('scheduling.k8s.io', 'v1');
export const priorityClasses = schedulingGroup.cluster<PriorityClass>('PriorityClass', 'priorityclasses');

const storageGroup = kindsOf('storage.k8s.io', 'v1');
export const storageClasses = storageGroup.cluster<StorageClass>('StorageClass', 'storageclasses');

const autoscalingGroup = kindsOf('autoscaling', 'v2');
export const horizontalPodAutoscalers = autoscalingGroup.namespaced<HorizontalPodAutoscaler>(
  'HorizontalPodAutoscaler',
  'horizontalpodautoscalers',
);

const discoveryGroup = kindsOf('discovery.k8s.io', 'v1');
export const endpointSlices = discoveryGroup.namespaced<EndpointSlice>('EndpointSlice', 'endpointslices');

const authenticationGroup = kindsOf('authentication.k8s.io', 'v1');
export const tokenReviews = authenticationGroup.cluster<TokenReview>('TokenReview', 'tokenreviews');
export const selfSubjectReviews = authenticationGroup.cluster<SelfSubjectReview>(
  'SelfSubjectReview',
  'selfsubjectreviews',
);

const authorizationGroup = kindsOf('authorization.k8s.io', 'v1');
export const subjectAccessReviews = authorizationGroup.cluster<SubjectAccessReview>(
  'SubjectAccessReview',
  'subjectaccessreviews',
);
export const selfSubjectAccessReviews = authorizationGroup.cluster<SelfSubjectAccessReview>(
  'SelfSubjectAccessReview',
  'selfsubjectaccessreviews',
);
export const selfSubjectRulesReviews = authorizationGroup.cluster<SelfSubjectRulesReview>(
  'SelfSubjectRulesReview',
  'selfsubjectrulesreviews',
);
export const localSubjectAccessReviews = authorizationGroup.namespaced<LocalSubjectAccessReview>(
  'LocalSubjectAccessReview',
  'localsubjectaccessreviews',
);
