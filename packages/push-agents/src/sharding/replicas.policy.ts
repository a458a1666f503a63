import type { Lease } from '@flotilla/kube/kinds';

/** When a lease was last seen to change, by the monotonic clock of this process: clocks of replicas may differ. */
export interface ObservedReplica {
  readonly name: string;
  readonly version: string;
  readonly seenAt: number;
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

/** When the liveness of a replica can change next without anything being heard. */
export const nextExpiry = (
  observed: readonly ObservedReplica[],
  renewedAt: number,
  now: number,
  times: ReplicaTimes,
): number | undefined => {
  const ends = [renewedAt + countsItselfOutAfterMs(times), ...observed.map(({ seenAt }) => seenAt + times.expireMs)];
  const ahead = ends.filter((end) => end > now);
  return ahead.length > 0 ? Math.min(...ahead) : undefined;
};

/** What is known of a replica after its lease was read once more. */
export function observeReplica(before: ObservedReplica | undefined, lease: Lease, now: number): ObservedReplica {
  const name = lease.spec?.holderIdentity ?? '';
  const version = lease.metadata?.resourceVersion ?? '';
  return before?.version === version ? before : { name, version, seenAt: now };
}

/** The replicas that still renew, in a stable order. */
export const liveReplicas = (
  observed: readonly ObservedReplica[],
  now: number,
  { expireMs }: Pick<ReplicaTimes, 'expireMs'>,
): string[] =>
  observed
    .filter(({ name, seenAt }) => name !== '' && now - seenAt < expireMs)
    .map(({ name }) => name)
    .sort();
