import {
  ApiGroup,
  ClusterProxyApi,
  ConfigMapName,
  LeaderElectionComponent,
  LeaseName,
  NamespaceName,
  ObjectName,
  SecretName,
  ServiceAccountName,
} from '@flotilla/api-types';
import type { RegistrationDrivers } from '../hub/controllers.ts';
import type { Rules } from '../objects/rbac.ts';
import type { OperatedHub } from '../operated-hub/operated-hub.ts';
import { operatedHubObjects } from '../operated-hub/operated-objects.ts';
import { rulesOfRoles, uniqueRules } from './granted-rules.ts';

const read = ['get', 'list', 'watch'];
const keep = [...read, 'create', 'update', 'patch', 'delete'];

/** Components that get a kubeconfig of their own where the hub is hosted. */
const hostedAccounts = [
  ServiceAccountName.RegistrationController,
  ServiceAccountName.RegistrationWebhook,
  ServiceAccountName.WorkController,
  ServiceAccountName.WorkWebhook,
  ServiceAccountName.PlacementController,
  ServiceAccountName.AddOnManagerController,
  ServiceAccountName.AddOnWebhook,
  ServiceAccountName.GrpcServer,
  ServiceAccountName.ClusterProxy,
  ServiceAccountName.PushAgents,
];

const namedSecrets: string[] = [
  SecretName.Signer,
  SecretName.RegistrationWebhookServingCert,
  SecretName.WorkWebhookServingCert,
  SecretName.AddOnWebhookServingCert,
  SecretName.GrpcServerServingCert,
  ClusterProxyApi.servingSecret,
  SecretName.ExternalHubKubeconfig,
  SecretName.WorkDriverConfig,
  SecretName.ImagePullCredentials,
  SecretName.ClusterImportConfig,
  ...hostedAccounts.map((serviceAccount) => SecretName.ServiceAccountKubeconfig.of({ serviceAccount })),
];

const namedConfigMaps: string[] = [ConfigMapName.CaBundle, ConfigMapName.TlsProfile, ConfigMapName.GrpcServerConfig];

/** What the operator itself does. RBAC cannot restrict a creation to a name. */
const ownRules: Rules = [
  { apiGroups: [ApiGroup.Operator], resources: ['clustermanagers'], verbs: [...read, 'update', 'patch'] },
  { apiGroups: [ApiGroup.Operator], resources: ['clustermanagers/status'], verbs: ['update', 'patch'] },
  { apiGroups: [ApiGroup.Operator], resources: ['clustermanagers/finalizers'], verbs: ['update'] },
  { apiGroups: [ApiGroup.ApiExtensions], resources: ['customresourcedefinitions'], verbs: keep },
  { apiGroups: [ApiGroup.ApiExtensions], resources: ['customresourcedefinitions/status'], verbs: ['update', 'patch'] },
  {
    apiGroups: [ApiGroup.AdmissionRegistration],
    resources: [
      'validatingwebhookconfigurations',
      'mutatingwebhookconfigurations',
      'validatingadmissionpolicies',
      'validatingadmissionpolicybindings',
    ],
    verbs: keep,
  },
  {
    apiGroups: [ApiGroup.Rbac],
    resources: ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'],
    verbs: keep,
  },
  { apiGroups: [ApiGroup.Core], resources: ['namespaces', 'serviceaccounts', 'services'], verbs: keep },
  { apiGroups: [ApiGroup.Core], resources: ['secrets', 'configmaps'], verbs: ['create'] },
  {
    apiGroups: [ApiGroup.Core],
    resources: ['secrets'],
    resourceNames: namedSecrets,
    verbs: keep.filter((verb) => verb !== 'create'),
  },
  {
    apiGroups: [ApiGroup.Core],
    resources: ['configmaps'],
    resourceNames: namedConfigMaps,
    verbs: keep.filter((verb) => verb !== 'create'),
  },
  { apiGroups: ['apiregistration.k8s.io'], resources: ['apiservices'], verbs: [...read, 'create'] },
  {
    apiGroups: ['apiregistration.k8s.io'],
    resources: ['apiservices'],
    resourceNames: [ClusterProxyApi.apiService],
    verbs: ['update', 'patch', 'delete'],
  },
  { apiGroups: ['apps'], resources: ['deployments'], verbs: keep },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: keep },
  { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: keep },
  { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['get'] },
  { apiGroups: [ApiGroup.Core], resources: ['pods'], verbs: read },
  // How many replicas a hub gets.
  { apiGroups: [ApiGroup.Core], resources: ['nodes'], verbs: read },
  { apiGroups: [ApiGroup.Core, ApiGroup.Events], resources: ['events'], verbs: ['create', 'patch', 'update'] },
  { apiGroups: [ApiGroup.Coordination], resources: ['leases'], verbs: ['create'] },
  {
    apiGroups: [ApiGroup.Coordination],
    resources: ['leases'],
    resourceNames: [`${LeaderElectionComponent.ClusterManager}-lock`],
    verbs: [...read, 'update', 'patch'],
  },
  // To authenticate and authorize callers of /metrics.
  { apiGroups: [ApiGroup.Authentication], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: [ApiGroup.Authorization], resources: ['subjectaccessreviews'], verbs: ['create'] },
];

/** A hub with all parts that a ClusterManager can ask for: whatever it is, the operator has the rights to grant. */
const everyPart: OperatedHub = {
  name: ObjectName.ClusterManager,
  namespace: NamespaceName.Hub,
  hosted: false,
  images: { registration: '', work: '', placement: '', addonManager: '', server: '', own: '' },
  replicas: 1,
  nodePlacement: {},
  tlsFlags: [],
  gateFlags: { registration: [], work: [], placement: [], addon: [] },
  features: {
    workController: true,
    addonManager: true,
    placementDebug: true,
    clusterProfile: true,
    clusterImporter: true,
    pushAgents: true,
  },
  clusterProxy: {},
  authTypes: [],
  registrationFlags: [],
  registrationAccountAnnotations: {},
  workDriver: { flags: [], hasConfig: false },
  grpc: { serviceType: 'ClusterIP' },
  webhooks: {
    registration: { port: 9443, healthProbePort: 0, metricsPort: 0, hostNetwork: false },
    work: { port: 9443, healthProbePort: 0, metricsPort: 0, hostNetwork: false },
    addon: { port: 9443, healthProbePort: 0, metricsPort: 0, hostNetwork: false },
  },
};

/** What a hub that is removed leaves to the operator: what it made for clusters, and cannot clean up any more. */
const removalRules: Rules = [
  { apiGroups: [ApiGroup.Certificates], resources: ['certificatesigningrequests'], verbs: ['list', 'delete'] },
  {
    apiGroups: [ApiGroup.Coordination],
    resources: ['leases'],
    resourceNames: [LeaseName.ManagedCluster],
    verbs: ['get', 'delete'],
  },
];

/** To store objects again in the version that their definition names. */
const migrationRules: Rules = [
  {
    apiGroups: [ApiGroup.AddOn],
    resources: ['addondeploymentconfigs', 'clustermanagementaddons', 'managedclusteraddons'],
    verbs: ['list', 'update'],
  },
  {
    apiGroups: [ApiGroup.Cluster],
    resources: ['managedclustersets', 'managedclustersetbindings', 'placements', 'placementdecisions'],
    verbs: ['list', 'update'],
  },
];

/** What the operator of hubs may do: what it does itself, and what it grants to the programs of a hub with these drivers. */
export const clusterManagerOperatorRules = (drivers: RegistrationDrivers): Rules =>
  uniqueRules([
    ...ownRules,
    ...removalRules,
    ...migrationRules,
    ...rulesOfRoles(operatedHubObjects(everyPart, drivers)),
    // The cluster proxy is bound to the role of every API server that reads this.
    {
      apiGroups: [ApiGroup.Core],
      resources: ['configmaps'],
      resourceNames: [ConfigMapName.ExtensionApiServerAuthentication],
      verbs: read,
    },
  ]);
