import { type MonotonicTime, msBetween } from '@flotilla/kube/clock';
import type { Lease } from '@flotilla/kube/kinds';

/** When a lease was last seen to change, by the monotonic clock of this process: clocks of replicas may differ. */
export interface ObservedReplica {
  readonly name: string;
  readonly version: string;
  readonly seenAt: MonotonicTime;
}

/** How often a replica renews its lease, and after which silence it counts as dead. */
export interface ReplicaTimes {
  readonly renewMs: number;
  readonly expireMs: number;
  /** How long its agents take to end. */
  readonly drainMs: number;
}

/** A killed replica is replaced within `expireMs`; one that cannot renew has ended its agents before that. */
export const defaultReplicaTimes: ReplicaTimes = { renewMs: 2000, expireMs: 9000, drainMs: 1500 };

/** Spare, for timers that fire late. */
const marginMs = 500;

/** After which silence of the hub a replica counts itself out: its agents have ended when the others start theirs. */
export const countsItselfOutAfterMs = ({ expireMs, drainMs }: ReplicaTimes): number => expireMs - drainMs - marginMs;

/** In how many milliseconds the liveness of a replica can change next without anything being heard. */
export const nextExpiryMs = (
  observed: readonly ObservedReplica[],
  renewedAt: MonotonicTime | undefined,
  now: MonotonicTime,
  times: ReplicaTimes,
): number | undefined => {
  const own = renewedAt === undefined ? [] : [countsItselfOutAfterMs(times) - msBetween(renewedAt, now)];
  const others = observed.map(({ seenAt }) => times.expireMs - msBetween(seenAt, now));
  const ahead = [...own, ...others].filter((leftMs) => leftMs > 0);
  return ahead.length > 0 ? Math.min(...ahead) : undefined;
};

/** What is known of a replica after its lease was read once more. */
export function observeReplica(before: ObservedReplica | undefined, lease: Lease, now: MonotonicTime): ObservedReplica {
  const name = lease.spec?.holderIdentity ?? '';
  const version = lease.metadata?.resourceVersion ?? '';
  return before?.version === version ? before : { name, version, seenAt: now };
}

/** The replicas that still renew, in a stable order. */
export const liveReplicas = (
  observed: readonly ObservedReplica[],
  now: MonotonicTime,
  { expireMs }: Pick<ReplicaTimes, 'expireMs'>,
): string[] =>
  observed
    .filter(({ name, seenAt }) => name !== '' && msBetween(seenAt, now) < expireMs)
    .map(({ name }) => name)
    .sort();
