import { type ManagedCluster, ManagedClusterCondition } from '@flotilla/api-types';
import { isConditionFalse } from '@flotilla/kube';
import type { Heartbeat } from './heartbeats.ts';

const defaultLeaseSeconds = 60;

/** How long a cluster may be silent, and how far apart clocks may be, milliseconds. */
export const graceOf = ({ spec }: ManagedCluster, factor: number): number =>
  (spec?.leaseDurationSeconds || defaultLeaseSeconds) * 1000 * factor;

/** What silence means. */
export interface LeaseVerdict {
  readonly expired: boolean;
  /** When to look again, milliseconds from now. */
  readonly nextCheckMs: number;
}

/** The hub's clock that nobody can turn, and since when it sees heartbeats without a gap. */
export interface HubTime {
  readonly monotonic: number;
  /** Monotonic time at which the hub was last unable to see leases. */
  readonly blindAt: number | undefined;
}

/**
 * How long ago the last sign of life was. Counted from its arrival at the hub. Of one that came before the hub started, only the
 * agent's own time is known: it counts unless the clocks are known to differ, in which case the silence starts now.
 */
function silenceOf(cluster: ManagedCluster, beat: Heartbeat, { monotonic, blindAt }: HubTime): number {
  const sinceSeen = monotonic - beat.seenMonotonic;
  const sinceBlind = blindAt === undefined ? Number.POSITIVE_INFINITY : monotonic - blindAt;
  // An agent that clears the time says nothing.
  if (beat.renewedAt === undefined) return sinceBlind;
  if (beat.witnessed) return Math.min(sinceSeen, sinceBlind);
  const skewed = isConditionFalse(cluster.status?.conditions, ManagedClusterCondition.ClockSynced);
  const before = skewed ? 0 : Math.max(0, beat.seenAt - beat.renewedAt);
  return Math.min(before + sinceSeen, sinceBlind);
}

/** Whether a cluster has been silent for too long, by the hub's own clock. */
export function judgeHeartbeat(cluster: ManagedCluster, beat: Heartbeat, time: HubTime, factor: number): LeaseVerdict {
  const grace = graceOf(cluster, factor);
  const left = grace - silenceOf(cluster, beat, time);
  return left <= 0 ? { expired: true, nextCheckMs: grace } : { expired: false, nextCheckMs: left };
}
