import { ClusterRoleName, HubRoleSuffix, NamespaceName, ObjectName, ServiceName } from '@flotilla/api-types';
import type { Deployment, Service } from '@flotilla/kube/kinds';
import { debugPath, placementDebugRules } from '@flotilla/placement';
import type { KubeObject } from '@flotilla/schema';
import { deployment, podName } from '../objects/deployment.ts';
import { accountSubject, boundClusterRole, clusterRole, serviceAccount } from '../objects/rbac.ts';

const clusterManager = ObjectName.ClusterManager;
const account = serviceAccount(NamespaceName.Hub, 'placement-debug-sa');
const role = ClusterRoleName.HubComponent.of({ clusterManager, suffix: HubRoleSuffix.PlacementDebug });
/** OCM's name of the service. */
const app = ServiceName.PlacementDebugServer.of({ clusterManager });
const port = 9443;

/** The service account of the debug server, with the rights that it needs, and the role for those who ask it. */
export const placementDebugAccess = (): KubeObject[] => [
  account,
  ...boundClusterRole(role, placementDebugRules(), [accountSubject(account)]),
  clusterRole('open-cluster-management:placement-debugger', [
    { nonResourceURLs: [`${debugPath}/*`], verbs: ['get', 'post'] },
  ]),
];

/** The debug server as a Deployment, and its service. All replicas serve. */
export const placementDebugServer = ({ image }: { readonly image: string }): [Service, Deployment] => [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: app, namespace: NamespaceName.Hub },
    spec: { selector: { app }, ports: [{ name: 'debug', port, targetPort: 'debug' }] },
  },
  deployment({
    name: `${clusterManager}-placement-debug`,
    namespace: NamespaceName.Hub,
    app,
    replicas: 1,
    serviceAccount: account.metadata?.name ?? '',
    container: {
      name: 'placement-debug',
      image,
      args: ['placement-debug', '--listen=0.0.0.0:8443'],
      env: [podName],
      ports: [
        { name: 'debug', containerPort: port },
        { name: 'health', containerPort: 8443 },
      ],
    },
    probeScheme: 'HTTPS',
  }),
];
