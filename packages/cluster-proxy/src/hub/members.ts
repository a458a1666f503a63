import { Agent } from 'node:https';
import { ClusterProxyApi, type ManagedCluster } from '@flotilla/api-types';
import { type CachedResource, type Clock, KubeError } from '@flotilla/kube';
import type { Lease } from '@flotilla/kube/kinds';
import type { ServingPair } from '@flotilla/kube/pki';
import type { Member } from '../member/member.ts';
import { refusalOf } from './acceptance.policy.ts';
import { peerMember } from './peer-member.ts';
import { type Replica, recordOf } from './tunnel-record.policy.ts';
import type { Tunnels } from './tunnels.ts';

/** What clusters are found with. */
export interface MembersDeps {
  readonly clusters: Pick<CachedResource<ManagedCluster>, 'get'>;
  readonly leases: Pick<CachedResource<Lease>, 'get'>;
  readonly tunnels: Tunnels;
  readonly replica: Replica;
  /** Clusters that the hub reaches by itself, without an agent; undefined for others. */
  readonly direct?: (cluster: ManagedCluster) => Member | undefined;
  /** The name in the certificate of all replicas. */
  readonly serverName: string;
  readonly clock: Clock;
}

/** Replicas get a new certificate at different times: mounted files are minutes behind. So long they are called with the old one, which they know. */
const graceMs = 180_000;

/** Finds the way to a cluster: directly, by a tunnel to this replica, or by that of another one. */
export class Members {
  readonly #deps: MembersDeps;
  #agent: Agent | undefined;
  #shown: ServingPair | undefined;
  #cancel = () => {};
  /** Of clusters that the hub reaches by itself: they abort when it does not accept them any more. */
  readonly #accepted = new Map<string, AbortController>();

  constructor(deps: MembersDeps) {
    this.#deps = deps;
  }

  /** The certificate by which replicas know one another. All are verified by the newest authorities, and shown what they know. */
  useCertificate(pair: ServingPair): void {
    this.#cancel();
    const shown = this.#shown;
    if (shown) this.#cancel = this.#deps.clock.schedule(graceMs, () => this.#show(pair));
    this.#show(shown ? { ...shown, ca: pair.ca } : pair);
  }

  #show(pair: ServingPair): void {
    this.#shown = pair;
    this.#agent?.destroy();
    const { certificate: cert, key, ca } = pair;
    const servername = this.#deps.serverName;
    this.#agent = new Agent({ keepAlive: true, cert, key, ca, servername, minVersion: 'TLSv1.3' });
  }

  /** Throws `NotFound`, `Forbidden` or `Unavailable`, and says what to do. A request of another replica is not passed on again. */
  find(name: string, isFromReplica: boolean): Member {
    const { clusters, tunnels, direct, leases, replica } = this.#deps;
    const cluster = clusters.get(name);
    const refusal = refusalOf(name, cluster);
    if (refusal) throw refusal;
    const pushed = cluster && direct?.(cluster);
    if (pushed) return endingWith(this.#acceptanceOf(name), pushed);
    const tunnel = tunnels.find(name);
    if (tunnel) return tunnel;
    const { holder, since } = recordOf(leases.get(`${name}/${ClusterProxyApi.lease}`));
    if (holder && holder.identity !== replica.identity && !isFromReplica && this.#agent) {
      return peerMember({ cluster: name, address: holder.address, agent: this.#agent });
    }
    throw notConnected(name, since);
  }

  /** Why neither users nor the agent of a cluster are served; undefined if they are. */
  refusalOf(name: string): KubeError | undefined {
    return refusalOf(name, this.#deps.clusters.get(name));
  }

  /** The cluster is denied or being deleted: what is under way to it ends, as shells do that were opened before. */
  deny(name: string): void {
    this.#deps.tunnels.destroy(name);
    this.#accepted.get(name)?.abort();
    this.#accepted.delete(name);
  }

  #acceptanceOf(name: string): AbortSignal {
    const accepted = this.#accepted.get(name) ?? new AbortController();
    this.#accepted.set(name, accepted);
    return accepted.signal;
  }

  close(): void {
    this.#cancel();
    this.#agent?.destroy();
  }
}

/** A member whose requests end when a signal aborts. */
const endingWith = (end: AbortSignal, member: Member): Member => ({
  request: (request) => member.request({ ...request, signal: AbortSignal.any([request.signal, end]) }),
  upgrade: (request) => member.upgrade({ ...request, signal: AbortSignal.any([request.signal, end]) }),
});

const notConnected = (name: string, since: number | undefined): KubeError => {
  const when = since === undefined ? 'has never connected' : `is not connected since ${new Date(since).toISOString()}`;
  const todo = 'Check that the agent runs, and that it has the feature gate ClusterProxy';
  return new KubeError('Unavailable', `cluster ${name} cannot be reached: its agent ${when}. ${todo}.`);
};
