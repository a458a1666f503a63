import type { Lease } from '../kinds/built-in-types.ts';
import { semanticEqual } from '../meta/equality.ts';
import { formatMicroTime } from '../meta/time.ts';

/** The record that candidates compete for. */
export type LeaseSpec = NonNullable<Lease['spec']>;

/**
 * A lease and when, on our own monotonic clock, its record was first seen as it is. The times inside the record are of
 * other machines' clocks and decide nothing: a lease has expired when we saw no change of it for its duration.
 */
export interface ObservedLease {
  readonly lease: Lease;
  readonly since: number;
}

/** What a candidate should do now. */
export type Decision =
  | { readonly act: 'create' }
  | { readonly act: 'take' }
  | { readonly act: 'wait'; readonly holder: string; readonly ms: number };

/** Takes a lease into account that was just read. A change of anything but its record (a label) renews nothing. */
export function observe(previous: ObservedLease | undefined, lease: Lease, now: number): ObservedLease {
  const unchanged = previous !== undefined && semanticEqual(previous.lease.spec, lease.spec);
  return { lease, since: unchanged ? previous.since : now };
}

/** Whether a candidate may write its name into the lease, and if not, how long the holder has. */
export function decide(
  observed: ObservedLease | undefined,
  identity: string,
  now: number,
  ownLeaseDurationMs: number,
  isHolderGone: (holder: string) => boolean = () => false,
): Decision {
  if (!observed) return { act: 'create' };
  const { holderIdentity: holder, leaseDurationSeconds } = observed.lease.spec ?? {};
  if (!holder || holder === identity || isHolderGone(holder)) return { act: 'take' };
  const durationMs = leaseDurationSeconds ? leaseDurationSeconds * 1000 : ownLeaseDurationMs;
  const ms = observed.since + durationMs - now;
  return ms > 0 ? { act: 'wait', holder, ms } : { act: 'take' };
}

/** The record with which a candidate becomes or stays the holder. Fields of others (a preferred holder) are kept. */
export function heldSpec(
  current: LeaseSpec | undefined,
  identity: string,
  leaseDurationMs: number,
  wallClock: number,
): LeaseSpec {
  const now = formatMicroTime(wallClock);
  const stays = current?.holderIdentity === identity;
  const transitions = current?.leaseTransitions ?? 0;
  return {
    ...current,
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
    acquireTime: (stays && current.acquireTime) || now,
    renewTime: now,
    leaseTransitions: current === undefined || stays ? transitions : transitions + 1,
  };
}

/** The record of a holder that leaves: no holder, and a duration so short that no candidate waits. */
export const releasedSpec = (current: LeaseSpec | undefined, wallClock: number): LeaseSpec => ({
  ...current,
  holderIdentity: '',
  leaseDurationSeconds: 1,
  acquireTime: formatMicroTime(wallClock),
  renewTime: formatMicroTime(wallClock),
});
