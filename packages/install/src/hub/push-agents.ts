import { NamespaceName, ObjectName } from '@flotilla/api-types';
import type { Deployment } from '@flotilla/kube/kinds';
import { pushAgentsAccount, pushAgentsNamespaceRules, pushAgentsRules } from '@flotilla/registration-core/push';
import type { KubeObject } from '@flotilla/schema';
import { deployment, podName } from '../objects/deployment.ts';
import { accountSubject, boundClusterRole, boundRole, serviceAccount } from '../objects/rbac.ts';

const account = serviceAccount(pushAgentsAccount.namespace, pushAgentsAccount.name);
const name = `${ObjectName.ClusterManager}-push-agents`;

/** As whom the agents of pushed clusters run on the hub, with the rights that they need. */
export const pushAgentsAccess = (clusterManager: string = ObjectName.ClusterManager): KubeObject[] => [
  account,
  ...boundClusterRole(`open-cluster-management:${clusterManager}-push-agents`, pushAgentsRules(), [
    accountSubject(account),
  ]),
  ...boundRole(
    pushAgentsAccount.namespace,
    `open-cluster-management:${clusterManager}-push-agents`,
    pushAgentsNamespaceRules(),
    [accountSubject(account)],
  ),
];

/** Those agents as a Deployment. All replicas work: they divide the clusters among them. */
export const pushAgentsDeployment = ({ image }: { readonly image: string }): Deployment =>
  deployment({
    name,
    namespace: NamespaceName.Hub,
    app: name,
    replicas: 2,
    serviceAccount: pushAgentsAccount.name,
    container: {
      name: 'push-agents',
      image,
      args: ['push-agents', '--listen=0.0.0.0:8443'],
      env: [podName],
      ports: [{ name: 'health', containerPort: 8443 }],
    },
    probeScheme: 'HTTPS',
  });
