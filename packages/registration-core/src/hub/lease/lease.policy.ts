import { type ManagedCluster, ManagedClusterCondition } from '@flotilla/api-types';
import { isConditionFalse } from '@flotilla/kube';
import type { Heartbeat, Relapses } from './heartbeats.ts';

const defaultLeaseSeconds = 60;

/** How long a cluster may be silent, and how far apart clocks may be, milliseconds. */
export const graceOf = ({ spec }: ManagedCluster, factor: number): number =>
  (spec?.leaseDurationSeconds || defaultLeaseSeconds) * 1000 * factor;

/** The most patience with an unsteady cluster, in graces. */
const mostPatience = 4;

/** After so many graces without a relapse one of the earlier is forgotten. */
const forgottenAfter = 10;

const relapsesNow = (relapses: Relapses | undefined, grace: number, monotonic: number): number =>
  relapses ? Math.max(0, relapses.count - Math.floor((monotonic - relapses.at) / (forgottenAfter * grace))) : 0;

/**
 * How long a cluster may be silent that fell silent and came back before: each relapse adds one grace. Without it, a cluster whose
 * heartbeats are late now and then would be tainted and be free again each time, and what runs on it would move with it.
 */
const dampedGrace = (grace: number, relapses: Relapses | undefined, monotonic: number): number =>
  grace * Math.min(mostPatience, 1 + relapsesNow(relapses, grace, monotonic));

/** What silence means. */
export interface LeaseVerdict {
  readonly expired: boolean;
  /** What to remember of a cluster that was available until now. */
  readonly relapses: Relapses;
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
  const plain = graceOf(cluster, factor);
  const { monotonic } = time;
  const grace = dampedGrace(plain, beat.relapses, monotonic);
  const left = grace - silenceOf(cluster, beat, time);
  const count = Math.min(mostPatience - 1, relapsesNow(beat.relapses, plain, monotonic) + 1);
  const relapses = { count, at: monotonic };
  return left <= 0 ? { expired: true, relapses, nextCheckMs: plain } : { expired: false, relapses, nextCheckMs: left };
}
