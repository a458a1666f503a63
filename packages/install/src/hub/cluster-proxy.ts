import { ClusterProxyApi, NamespaceName, ObjectName, ServiceAccountName } from '@flotilla/api-types';
import {
  clusterProxyApiService,
  clusterProxyCertificateRules,
  clusterProxyRules,
  clusterProxyTrustRules,
} from '@flotilla/cluster-proxy/api';
import type { APIService, Deployment, RoleBinding, Service, ServiceAccount } from '@flotilla/kube/kinds';
import { memberSecretName } from '@flotilla/registration-core/push';
import type { KubeObject } from '@flotilla/schema';
import { deployment, podName } from '../objects/deployment.ts';
import { accountSubject, boundClusterRole, boundRole, clusterRole, serviceAccount } from '../objects/rbac.ts';

const namespace = NamespaceName.Hub;
const app = ClusterProxyApi.service;
const account = serviceAccount(namespace, ServiceAccountName.ClusterProxy);
const roleOf = (clusterManager: string) => `open-cluster-management:${clusterManager}-cluster-proxy:server`;
const role = roleOf(ObjectName.ClusterManager);
const servicePort = 443;
const port = 9443;

/** Every API server has this role, for programs that serve an aggregated API. */
const frontProxyReader = (name: string, reader: ServiceAccount): RoleBinding => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name, namespace: NamespaceName.KubeSystem },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'extension-apiserver-authentication-reader' },
  subjects: [accountSubject(reader)],
});

/** How the hub reaches clusters that have no agent; no other Secrets. */
const memberAccessRule = {
  apiGroups: [''],
  resources: ['secrets'],
  resourceNames: [memberSecretName],
  verbs: ['get', 'list', 'watch'],
};

const proxied = [`${ClusterProxyApi.clusters}/${ClusterProxyApi.proxy}`];

/** The roles for users of clusters. */
const userRoles = (): KubeObject[] => [
  clusterRole('open-cluster-management:cluster-proxy-user', [
    { apiGroups: [ClusterProxyApi.group], resources: proxied, verbs: ['get', 'create', 'update', 'patch', 'delete'] },
  ]),
  clusterRole('open-cluster-management:cluster-proxy-viewer', [
    { apiGroups: [ClusterProxyApi.group], resources: proxied, verbs: ['get'] },
  ]),
];

/** The account of the program that serves the API, its rights, and the roles for users of clusters. */
export const clusterProxyAccess = (): KubeObject[] => [
  account,
  ...boundClusterRole(
    role,
    [...clusterProxyRules(), ...clusterProxyTrustRules(), memberAccessRule],
    [accountSubject(account)],
  ),
  ...boundRole(namespace, role, clusterProxyCertificateRules(), [accountSubject(account)]),
  frontProxyReader(role, account),
  ...userRoles(),
];

/** The same for the program of an operator, which mounts its certificate: it writes no Secrets, and no APIService. */
export const clusterProxyObjects = (hub: { readonly name: string; readonly namespace: string }): KubeObject[] => {
  const own = serviceAccount(hub.namespace, ServiceAccountName.ClusterProxy);
  const name = roleOf(hub.name);
  return [
    own,
    ...boundClusterRole(name, [...clusterProxyRules(), memberAccessRule], [accountSubject(own)]),
    frontProxyReader(name, own),
    ...userRoles(),
  ];
};

/** How the API server finds the program in the cluster. */
export const clusterProxyServing = (): [Service, APIService] => [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: app, namespace },
    spec: { selector: { app }, ports: [{ name: 'https', port: servicePort, targetPort: 'https' }] },
  },
  clusterProxyApiService(namespace, servicePort),
];

/** The program as a Deployment. All replicas serve. */
export const clusterProxyDeployment = ({ image }: { readonly image: string }): Deployment =>
  deployment({
    name: `${ObjectName.ClusterManager}-cluster-proxy`,
    namespace,
    app,
    replicas: 2,
    serviceAccount: account.metadata?.name ?? '',
    container: {
      name: 'cluster-proxy',
      image,
      args: ['cluster-proxy', '--listen=0.0.0.0:8443'],
      env: [podName, podIp],
      ports: [
        { name: 'https', containerPort: port },
        { name: 'health', containerPort: 8443 },
      ],
    },
    probeScheme: 'HTTPS',
  });

/** Where the other replicas reach this one. */
export const podIp = { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } };
