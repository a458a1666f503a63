import {
  ApiGroup,
  ClusterProxyApi,
  ClusterRoleName,
  ConfigMapName,
  HubRoleSuffix,
  LeaseName,
  NamespaceName,
  ObjectName,
  SecretName,
  ServiceAccountName,
  ServiceName,
} from '@flotilla/api-types';
import type { Deployment, Service } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { deployment, podName } from '../objects/deployment.ts';
import { accountSubject, boundClusterRole, boundRole, type Rules, serviceAccount } from '../objects/rbac.ts';
import { grpcAddOnAccess } from './grpc-addons.ts';
import { grpcWorksPolicy } from './grpc-works.ts';

const account = serviceAccount(NamespaceName.Hub, ServiceAccountName.GrpcServer);

const role = ClusterRoleName.HubComponent.of({
  clusterManager: ObjectName.ClusterManager,
  suffix: HubRoleSuffix.GrpcServer,
});

const app = ServiceName.GrpcServer.of({ clusterManager: ObjectName.ClusterManager });
const port = 8090;
const read = ['get', 'list', 'watch'];

/**
 * What agents may do over gRPC, for any of them: the server decides for each whether it may. Tokens of add-ons are not among it: the
 * controllers of the hub grant each, and a policy restricts what it changes of works.
 */
const rules = (): Rules => [
  { apiGroups: [ApiGroup.Authentication], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: [ApiGroup.Authorization], resources: ['subjectaccessreviews'], verbs: ['create'] },
  // When an agent loses a right it loses its streams.
  { apiGroups: [ApiGroup.Rbac], resources: ['clusterrolebindings', 'rolebindings'], verbs: ['list', 'watch'] },
  { apiGroups: [ApiGroup.Certificates], resources: ['certificatesigningrequests'], verbs: [...read, 'create'] },
  { apiGroups: [ApiGroup.Coordination], resources: ['leases'], verbs: read },
  {
    apiGroups: [ApiGroup.Coordination],
    resources: ['leases'],
    resourceNames: [LeaseName.ManagedCluster],
    verbs: ['patch'],
  },
  { apiGroups: [ApiGroup.Events], resources: ['events'], verbs: ['get', 'create', 'update'] },
  { apiGroups: [ApiGroup.Cluster], resources: ['managedclusters'], verbs: [...read, 'create', 'patch'] },
  { apiGroups: [ApiGroup.Cluster], resources: ['managedclusters/status'], verbs: ['update'] },
  // A webhook asks for it when a cluster is created, also in the default set.
  { apiGroups: [ApiGroup.Cluster], resources: ['managedclustersets/join'], verbs: ['create'] },
  { apiGroups: [ApiGroup.AddOn], resources: ['managedclusteraddons'], verbs: read },
  { apiGroups: [ApiGroup.AddOn], resources: ['managedclusteraddons/status'], verbs: ['update'] },
  { apiGroups: [ApiGroup.Work], resources: ['manifestworks'], verbs: [...read, 'patch'] },
  { apiGroups: [ApiGroup.Work], resources: ['manifestworks/status'], verbs: ['patch'] },
  // Tunnels of clusters, for users who reach them through the hub.
  {
    apiGroups: [ClusterProxyApi.group],
    resources: [`${ClusterProxyApi.tunnels}/${ClusterProxyApi.attach}`],
    verbs: ['get'],
  },
];

/** Its certificate, and the authorities of its clients. The key that signs those is not for a program that faces other networks. */
const certificateRules: Rules = [
  {
    apiGroups: [ApiGroup.Core],
    resources: ['secrets'],
    resourceNames: [SecretName.GrpcServerServingCert],
    verbs: read,
  },
  { apiGroups: [ApiGroup.Core], resources: ['configmaps'], resourceNames: [ConfigMapName.CaBundle], verbs: read },
];

/** The service account of the gRPC server, with the rights that it needs. */
export const grpcServerAccess = (): KubeObject[] => [
  account,
  ...boundClusterRole(role, rules(), [accountSubject(account)]),
  ...boundRole(NamespaceName.Hub, role, certificateRules, [accountSubject(account)]),
  ...grpcAddOnAccess(),
  ...grpcWorksPolicy(NamespaceName.Hub),
];

/** The same for the server of an operator, which mounts its certificates and reads none. */
export const grpcServerObjects = (hub: { readonly name: string; readonly namespace: string }): KubeObject[] => {
  const own = serviceAccount(hub.namespace, ServiceAccountName.GrpcServer);
  const name = ClusterRoleName.HubComponent.of({ clusterManager: hub.name, suffix: HubRoleSuffix.GrpcServer });
  return [
    own,
    ...boundClusterRole(name, rules(), [accountSubject(own)]),
    ...grpcAddOnAccess(hub.namespace),
    ...grpcWorksPolicy(hub.namespace),
  ];
};

/** What the controllers may do to keep the certificates of gRPC. RBAC cannot restrict the creation to a name. */
export const grpcCertificateAccess = (): KubeObject[] => {
  const controllers = serviceAccount(NamespaceName.Hub, ServiceAccountName.RegistrationController);
  const keep: Rules = [
    { apiGroups: [ApiGroup.Core], resources: ['secrets', 'configmaps'], verbs: ['create'] },
    {
      apiGroups: [ApiGroup.Core],
      resources: ['secrets'],
      resourceNames: [SecretName.Signer, SecretName.GrpcServerServingCert],
      verbs: [...read, 'update'],
    },
    {
      apiGroups: [ApiGroup.Core],
      resources: ['configmaps'],
      resourceNames: [ConfigMapName.CaBundle],
      verbs: [...read, 'update'],
    },
  ];
  return [...boundRole(NamespaceName.Hub, `${role}-certificates`, keep, [accountSubject(controllers)])];
};

/** Where agents reach the servers inside of the cluster. TLS ends in the servers: what exposes it passes it through. */
export const grpcService = (): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: app, namespace: NamespaceName.Hub },
  spec: { selector: { app }, ports: [{ name: 'grpc', port, targetPort: 'grpc' }] },
});

/** The gRPC server as a Deployment. All replicas serve. */
export const grpcServerDeployment = ({ image }: { readonly image: string }): Deployment =>
  deployment({
    name: app,
    namespace: NamespaceName.Hub,
    app,
    replicas: 2,
    serviceAccount: ServiceAccountName.GrpcServer,
    container: {
      name: 'grpc-server',
      image,
      args: ['grpc-server', '--listen=0.0.0.0:8443'],
      env: [podName],
      ports: [
        { name: 'grpc', containerPort: port },
        { name: 'health', containerPort: 8443 },
      ],
    },
    probeScheme: 'HTTPS',
  });
