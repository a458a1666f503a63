import { Label, type ManagedCluster, managedClusters } from '@flotilla/api-types';
import { findCondition, isConditionTrue, type KubeClient, realClock } from '@flotilla/kube';
import { type CertificateSigningRequest, certificateSigningRequests, setApproval } from '@flotilla/kube/kinds';
import { type Watching, watching } from './watching.ts';

/** What an administrator of a hub sees and does. */
export interface Administrator extends Disposable {
  readonly seen: Watching;
  /** When the agent of a cluster has created it and requested a certificate; returns the request. */
  asked(name: string): Promise<CertificateSigningRequest>;
  /** Approves the undecided request of a cluster, or the next one. */
  approve(name: string): Promise<CertificateSigningRequest>;
  accept(name: string, accepted?: boolean): Promise<void>;
  /** Lets a cluster in that asks: both halves of the opt-in. */
  admit(name: string): Promise<void>;
  /** When a condition of a cluster has a status. */
  condition(name: string, type: string, status: 'True' | 'False' | 'Unknown'): Promise<ManagedCluster>;
  /** When a cluster is accepted, joined and available. */
  joined(name: string): Promise<ManagedCluster>;
  /** All requests of a cluster's agents. */
  requests(name: string): Promise<CertificateSigningRequest[]>;
}

const joinedConditions = ['HubAcceptedManagedCluster', 'ManagedClusterJoined', 'ManagedClusterConditionAvailable'];

/** Whether a request is undecided. */
export const isUndecided = ({ status }: CertificateSigningRequest): boolean => !status?.conditions?.length;

/** The administrator of a hub. */
export function administrator(client: KubeClient): Administrator {
  const seen = watching(client);
  const clusters = client.resource(managedClusters);
  const isNamed = (name: string) => (cluster: ManagedCluster) => cluster.metadata?.name === name;
  const undecided = (name: string) =>
    seen.until(
      certificateSigningRequests,
      `a request of ${name}`,
      (request) => request.metadata?.labels?.[Label.ClusterName] === name && isUndecided(request),
    );
  const self: Administrator = {
    seen,
    async asked(name) {
      await seen.until(managedClusters, `ManagedCluster ${name}`, isNamed(name));
      return undecided(name);
    },
    async approve(name) {
      const approval = { type: 'Approved', reason: 'E2E', message: 'approved by the administrator' } as const;
      return setApproval(client, await undecided(name), approval, { now: realClock.now() });
    },
    async accept(name, accepted = true) {
      await clusters.patch(name, { type: 'merge', body: { spec: { hubAcceptsClient: accepted } } });
    },
    async admit(name) {
      await self.asked(name);
      await self.accept(name);
      await self.approve(name);
    },
    condition: (name, type, status) =>
      seen.until(
        managedClusters,
        `${type}=${status} of ${name}`,
        (cluster) => isNamed(name)(cluster) && findCondition(cluster.status?.conditions, type)?.status === status,
      ),
    joined: (name) =>
      seen.until(
        managedClusters,
        `${name} to join`,
        (cluster) =>
          isNamed(name)(cluster) && joinedConditions.every((type) => isConditionTrue(cluster.status?.conditions, type)),
      ),
    async requests(name) {
      const labelSelector = `${Label.ClusterName}=${name}`;
      return (await client.resource(certificateSigningRequests).list({ labelSelector })).items;
    },
    [Symbol.dispose]: () => seen[Symbol.dispose](),
  };
  return self;
}
