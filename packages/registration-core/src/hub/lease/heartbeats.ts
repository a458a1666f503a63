import { Label, LeaseName } from '@flotilla/api-types';
import type { Clock, StoreChange } from '@flotilla/kube';
import type { EpochMs, MonotonicTime, WallTime } from '@flotilla/kube/clock';
import type { Lease } from '@flotilla/kube/kinds';
import { parseTime } from '@flotilla/kube/meta';

/** When the hub last saw a cluster renew its lease, by its own clocks. */
export interface Heartbeat {
  /** What the agent wrote; undefined if it is not a time. */
  readonly renewedAt: EpochMs | undefined;
  /** The hub's wall clock at that moment. */
  readonly seenAt: WallTime;
  /** The hub's monotonic clock at that moment, which does not follow changes of the wall clock. */
  readonly seenMonotonic: MonotonicTime;
  /** False for a renewal from before the hub started: when it arrived is unknown. */
  readonly witnessed: boolean;
  /** How often the cluster became unknown and available again lately; unset for one that never did. */
  readonly flaps?: Flaps;
}

/** How often a cluster flapped. */
export interface Flaps {
  readonly count: number;
  /** The hub's monotonic clock at the last one. */
  readonly at: MonotonicTime;
}

/** The cluster of a heartbeat lease; undefined for other leases. An agent writes only into its own namespace, and sets any label there. */
export const clusterOfLease = ({ metadata }: Lease): string | undefined =>
  metadata?.name === LeaseName.ManagedCluster ? metadata.namespace : undefined;

/** Whether the label of a heartbeat lease names the cluster of its namespace. A lease without it does not count. */
export const isLabelled = (lease: Lease): boolean =>
  lease.metadata?.labels?.[Label.ClusterName] === clusterOfLease(lease);

/** The key of the heartbeat lease of a cluster. */
export const leaseKeyOf = (cluster: string): string => `${cluster}/${LeaseName.ManagedCluster}`;

/**
 * Stamps heartbeats as they arrive. Agents write their own time into leases, and a wrong clock there must neither hide a
 * cluster that is down nor mark one that is up; a queue that is behind must not make heartbeats look older either.
 */
export class Heartbeats {
  readonly #clock: Clock;
  readonly #last = new Map<string, Heartbeat>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records a change of a lease; true if it was a renewal. The same change may be given twice. */
  observe(change: StoreChange<Lease>): boolean {
    const cluster = clusterOfLease(change.object);
    if (cluster === undefined || !isLabelled(change.object)) return false;
    // Also when its labels changed so that the cache loses it: the last heartbeat is remembered until the cluster is removed.
    if (change.type === 'deleted') return false;
    const renewedAt = parseTime(change.object.spec?.renewTime);
    const before = this.#last.get(cluster);
    if (before && before.renewedAt === renewedAt) {
      return change.type === 'updated' && change.object.spec?.renewTime !== change.previous.spec?.renewTime;
    }
    const witnessed = change.type === 'updated';
    this.#last.set(cluster, {
      renewedAt,
      seenAt: this.#clock.now(),
      seenMonotonic: this.#clock.monotonic(),
      witnessed,
      ...(before?.flaps && { flaps: before.flaps }),
    });
    return witnessed;
  }

  /** Counts the silence of a cluster from now, of which no heartbeat was seen. */
  begin(cluster: string): Heartbeat {
    const seenAt = this.#clock.now();
    const beat = { renewedAt: seenAt, seenAt, seenMonotonic: this.#clock.monotonic(), witnessed: false };
    this.#last.set(cluster, beat);
    return beat;
  }

  /** Forgets a cluster that was removed. */
  forget(cluster: string): void {
    this.#last.delete(cluster);
  }

  /** Records that an available cluster missed its heartbeats. */
  flapped(cluster: string, flaps: Flaps): void {
    const last = this.#last.get(cluster);
    if (last) this.#last.set(cluster, { ...last, flaps });
  }

  /** The last heartbeat of a cluster. */
  of(cluster: string): Heartbeat | undefined {
    return this.#last.get(cluster);
  }
}
