import { NamespaceName, ObjectName } from '@flotilla/api-types';
import type { Deployment } from '@flotilla/kube/kinds';
import { pushAgentsAccount, pushAgentsNamespaceRules, pushAgentsRules } from '@flotilla/registration-core/push';
import type { KubeObject } from '@flotilla/schema';
import { deployment, podName } from '../objects/deployment.ts';
import { accountSubject, boundClusterRole, boundRole, serviceAccount } from '../objects/rbac.ts';

const account = serviceAccount(pushAgentsAccount.namespace, pushAgentsAccount.name);
const name = `${ObjectName.ClusterManager}-push-agents`;

/** A hub with agents of pushed clusters. */
interface PushingHub {
  /** Of its ClusterManager. */
  readonly name: string;
  /** Where replicas divide the clusters among them, by leases. */
  readonly namespace: string;
}

const defaultHub: PushingHub = { name: ObjectName.ClusterManager, namespace: NamespaceName.Hub };

/** As whom the agents of pushed clusters run on the hub, with the rights that they need. */
export const pushAgentsAccess = (hub: PushingHub = defaultHub): KubeObject[] => {
  const role = `open-cluster-management:${hub.name}-push-agents`;
  const subjects = [accountSubject(account)];
  return [
    account,
    ...boundClusterRole(role, pushAgentsRules(), subjects),
    ...boundRole(hub.namespace, role, pushAgentsNamespaceRules(), subjects),
  ];
};

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
