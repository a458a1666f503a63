import { Label, LeaseName } from '@flotilla/api-types';
import { type Clock, type Lease, parseTime, type StoreChange } from '@flotilla/kube';

/** When the hub last saw a cluster renew its lease, by its own clocks. */
export interface Heartbeat {
  /** What the agent wrote, milliseconds since the epoch; undefined if it is no time. */
  readonly renewedAt: number | undefined;
  /** The hub's wall clock at that moment. */
  readonly seenAt: number;
  /** The hub's monotonic clock at that moment, which nobody can turn. */
  readonly seenMonotonic: number;
  /** False for what was there when the hub started: nobody knows when that came. */
  readonly witnessed: boolean;
  /** How often the cluster fell silent and came back of late; unset for one that never did. */
  readonly relapses?: Relapses;
}

/** How unsteady a cluster is. */
export interface Relapses {
  readonly count: number;
  /** The hub's monotonic clock at the last one. */
  readonly at: number;
}

/** The cluster of a heartbeat lease; undefined for other leases. */
export const clusterOfLease = ({ metadata }: Lease): string | undefined =>
  metadata?.name === LeaseName.ManagedCluster ? metadata.labels?.[Label.ClusterName] || undefined : undefined;

/** The key of the heartbeat lease of a cluster. */
export const leaseKeyOf = (cluster: string): string => `${cluster}/${LeaseName.ManagedCluster}`;

/**
 * Stamps heartbeats as they arrive. Agents write their own time into leases, and a wrong clock there must neither hide a dead
 * cluster nor bury a living one; a queue that is behind must not age them either.
 */
export class Heartbeats {
  readonly #clock: Clock;
  readonly #last = new Map<string, Heartbeat>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes a change of a lease; true if it was a renewal. May be told the same change twice. */
  observe(change: StoreChange<Lease>): boolean {
    const cluster = clusterOfLease(change.object);
    if (cluster === undefined) return false;
    if (change.type === 'deleted') {
      this.#last.delete(cluster);
      return false;
    }
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
      ...(before?.relapses && { relapses: before.relapses }),
    });
    return witnessed;
  }

  /** Notes that a cluster fell silent that was there. */
  relapsed(cluster: string, relapses: Relapses): void {
    const last = this.#last.get(cluster);
    if (last) this.#last.set(cluster, { ...last, relapses });
  }

  /** The last heartbeat of a cluster. */
  of(cluster: string): Heartbeat | undefined {
    return this.#last.get(cluster);
  }
}
