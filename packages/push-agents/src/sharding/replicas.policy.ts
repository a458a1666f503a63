import type { Lease } from '@flotilla/kube/kinds';

/** When a lease was last seen to change, by the monotonic clock of this process: clocks of replicas may differ. */
export interface ObservedReplica {
  readonly name: string;
  readonly version: string;
  readonly seenAt: number;
}

/** How often a replica renews its lease, and after which silence it counts as gone. */
export interface ReplicaTimes {
  readonly renewMs: number;
  readonly expireMs: number;
}

/** A killed replica is replaced within `expireMs`; one that cannot renew stops before that. */
export const defaultReplicaTimes: ReplicaTimes = { renewMs: 2000, expireMs: 9000 };

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
