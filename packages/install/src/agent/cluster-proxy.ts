import { NamespaceName, ObjectName, ServiceAccountName } from '@flotilla/api-types';
import { impersonationRules } from '@flotilla/cluster-proxy/api';
import type { KubeObject } from '@flotilla/schema';
import { accountSubject, boundClusterRole, type Subjects, serviceAccount } from '../objects/rbac.ts';

const klusterlet = ObjectName.Klusterlet;

/** The role of agents that act for users of the hub. */
export const clusterProxyRole = (name: string): string => `open-cluster-management:${name}-cluster-proxy:impersonate`;

/** Those that keep the tunnel: the registration agent, or the agent in one process, which has the account of the work agent. */
const agents: Subjects = [ServiceAccountName.RegistrationAgent, ServiceAccountName.WorkAgent].map((name) =>
  accountSubject(serviceAccount(NamespaceName.Agent, name.of({ klusterlet }))),
);

/** What an agent with the feature gate ClusterProxy needs: to act on the cluster for users of the hub. Only made with the gate. */
export const clusterProxyGrant = (subjects: Subjects = agents): KubeObject[] => [
  ...boundClusterRole(clusterProxyRole(klusterlet), impersonationRules(), subjects),
];
