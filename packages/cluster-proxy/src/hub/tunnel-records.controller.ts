import { ClusterProxyApi } from '@flotilla/api-types';
import {
  type CachedResource,
  type Clock,
  type Controller,
  defineController,
  done,
  type OwnerReference,
  on,
} from '@flotilla/kube';
import type { Lease } from '@flotilla/kube/kinds';
import { decideRecord, leaseOf, type Replica, recordOf } from './tunnel-record.policy.ts';
import type { Tunnels } from './tunnels.ts';

/** What records are kept with. */
export interface TunnelRecordsDeps {
  readonly tunnels: Tunnels;
  /** Those of all clusters. */
  readonly leases: CachedResource<Lease>;
  readonly replica: Replica;
  /** What a new record goes with; undefined: nothing. */
  readonly owner: () => Promise<OwnerReference | undefined>;
  readonly clock: Clock;
}

/** Keeps in the namespace of each cluster which replica has its tunnel. Written when a tunnel comes or goes, and never in between. */
export const tunnelRecordsController = ({ tunnels, leases, replica, owner, clock }: TunnelRecordsDeps): Controller =>
  defineController({
    name: 'tunnel-records',
    watches: [on(tunnels.changes), on(leases, ({ metadata }) => metadata?.namespace ?? '')],
    async reconcile(cluster) {
      const lease = leases.get(`${cluster}/${ClusterProxyApi.lease}`);
      const since = tunnels.since(cluster);
      const decision = decideRecord(recordOf(lease), replica, since);
      if (decision === 'retire') tunnels.retire(cluster);
      if (decision === 'nothing' || decision === 'retire') return done;
      const next = leaseOf(cluster, decision === 'claim' ? replica : undefined, since ?? clock.now());
      if (lease) await leases.replace({ ...next, metadata: { ...lease.metadata, ...next.metadata } });
      else await leases.create(ownedBy(await owner(), next));
      return done;
    },
  });

/** The record goes when the API is removed: it is of no use without it, and nobody else knows of it. */
const ownedBy = (owner: OwnerReference | undefined, lease: Lease): Lease =>
  owner ? { ...lease, metadata: { ...lease.metadata, ownerReferences: [owner] } } : lease;
