import { type ManagedCluster, ManagedClusterCondition } from '@flotilla/api-types';
import { type MonotonicTime, msBetween } from '@flotilla/kube/clock';
import { isConditionFalse } from '@flotilla/kube/conditions';
import type { Flaps, Heartbeat } from './heartbeats.ts';

const defaultLeaseSeconds = 60;

/** The grace period of a lease, and how far apart clocks may be, milliseconds. */
export const graceOf = ({ spec }: ManagedCluster, factor: number): number =>
  (spec?.leaseDurationSeconds || defaultLeaseSeconds) * 1000 * factor;

/** The longest grace period of a cluster that flaps, in plain ones. */
const mostGraces = 4;

/** After so many graces without a flap one of the earlier is forgotten. */
const forgottenAfter = 10;

const flapsNow = (flaps: Flaps | undefined, grace: number, monotonic: MonotonicTime): number =>
  flaps ? Math.max(0, flaps.count - Math.floor(msBetween(flaps.at, monotonic) / (forgottenAfter * grace))) : 0;

/**
 * How long a cluster may be silent that fell silent and came back before: each flap adds one grace. Without it, a cluster whose
 * heartbeats are late now and then would be tainted and be free again each time, and what runs on it would move with it.
 */
const dampedGrace = (grace: number, flaps: Flaps | undefined, monotonic: MonotonicTime): number =>
  grace * Math.min(mostGraces, 1 + flapsNow(flaps, grace, monotonic));

/** What a late heartbeat means. */
export interface LeaseDecision {
  readonly expired: boolean;
  /** What to remember of a cluster that was available until now. */
  readonly flaps: Flaps;
  /** When to check again, milliseconds from now. */
  readonly nextCheckMs: number;
}

/** The hub's monotonic clock, and since when it observes heartbeats without a gap. */
export interface HubTime {
  readonly monotonic: MonotonicTime;
  /** Monotonic time at which the hub was last unable to see leases. */
  readonly blindAt: MonotonicTime | undefined;
}

/**
 * How long ago the last sign of life was. Counted from its arrival at the hub. Of one that came before the hub started, only the
 * agent's own time is known: it counts unless the clocks are known to differ, in which case the silence starts now.
 */
function silenceOf(cluster: ManagedCluster, beat: Heartbeat, { monotonic, blindAt }: HubTime): number {
  const sinceSeen = msBetween(beat.seenMonotonic, monotonic);
  const sinceBlind = blindAt === undefined ? Number.POSITIVE_INFINITY : msBetween(blindAt, monotonic);
  // A lease without renewTime counts as silence.
  if (beat.renewedAt === undefined) return sinceBlind;
  if (beat.witnessed) return Math.min(sinceSeen, sinceBlind);
  const skewed = isConditionFalse(cluster.status?.conditions, ManagedClusterCondition.ClockSynced);
  const before = skewed ? 0 : Math.max(0, beat.seenAt - beat.renewedAt);
  return Math.min(before + sinceSeen, sinceBlind);
}

/** Whether a cluster has been silent for too long, by the hub's own clock. */
export function evaluateHeartbeat(
  cluster: ManagedCluster,
  beat: Heartbeat,
  time: HubTime,
  factor: number,
): LeaseDecision {
  const plain = graceOf(cluster, factor);
  const { monotonic } = time;
  const grace = dampedGrace(plain, beat.flaps, monotonic);
  const left = grace - silenceOf(cluster, beat, time);
  const count = Math.min(mostGraces - 1, flapsNow(beat.flaps, plain, monotonic) + 1);
  const flaps = { count, at: monotonic };
  return left <= 0 ? { expired: true, flaps, nextCheckMs: plain } : { expired: false, flaps, nextCheckMs: left };
}
