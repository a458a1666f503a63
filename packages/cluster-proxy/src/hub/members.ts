import { Agent } from 'node:https';
import { ClusterProxyApi, type ManagedCluster } from '@flotilla/api-types';
import { type CachedResource, KubeError } from '@flotilla/kube';
import type { Lease } from '@flotilla/kube/kinds';
import type { ServingPair } from '@flotilla/kube/pki';
import type { Member } from '../member/member.ts';
import { peerMember } from './peer-member.ts';
import { type Replica, recordOf } from './tunnel-record.policy.ts';
import type { Tunnels } from './tunnels.ts';

/** What clusters are found with. */
export interface MembersDeps {
  readonly clusters: CachedResource<ManagedCluster>;
  readonly leases: CachedResource<Lease>;
  readonly tunnels: Tunnels;
  readonly replica: Replica;
  /** Clusters that the hub reaches by itself, without an agent; undefined for others. */
  readonly direct?: (cluster: ManagedCluster) => Member | undefined;
  /** The name in the certificate of all replicas. */
  readonly serverName: string;
}

/** Finds the way to a cluster: directly, by a tunnel to this replica, or by that of another one. */
export class Members {
  readonly #deps: MembersDeps;
  #agent: Agent | undefined;

  constructor(deps: MembersDeps) {
    this.#deps = deps;
  }

  /** The certificate by which replicas know one another. */
  useCertificate({ certificate, key, ca }: ServingPair): void {
    this.#agent?.destroy();
    const servername = this.#deps.serverName;
    this.#agent = new Agent({ keepAlive: true, cert: certificate, key, ca, servername, minVersion: 'TLSv1.3' });
  }

  /** Throws `NotFound`, `Forbidden` or `Unavailable`, and says what to do. A request of another replica is not passed on again. */
  find(name: string, isFromReplica: boolean): Member {
    const { clusters, tunnels, direct, leases, replica } = this.#deps;
    const cluster = clusters.get(name);
    if (!cluster) throw new KubeError('NotFound', `there is no managed cluster ${name}`, { status: 404 });
    if (cluster.spec?.hubAcceptsClient !== true) {
      throw new KubeError('Forbidden', `the hub has not accepted cluster ${name}`, { status: 403 });
    }
    const here = direct?.(cluster) ?? tunnels.find(name);
    if (here) return here;
    const { holder, since } = recordOf(leases.get(`${name}/${ClusterProxyApi.lease}`));
    if (holder && holder.identity !== replica.identity && !isFromReplica && this.#agent) {
      return peerMember({ cluster: name, address: holder.address, agent: this.#agent });
    }
    throw notConnected(name, since);
  }

  close(): void {
    this.#agent?.destroy();
  }
}

const notConnected = (name: string, since: number | undefined): KubeError => {
  const when = since === undefined ? 'has never connected' : `is not connected since ${new Date(since).toISOString()}`;
  const todo = 'Check that the agent runs, and that it has the feature gate ClusterProxy';
  return new KubeError('Unavailable', `cluster ${name} cannot be reached: its agent ${when}. ${todo}.`);
};
