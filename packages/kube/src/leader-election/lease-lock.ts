import { isAbsence } from '../errors/absence.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { Lease } from '../kinds/built-in-types.ts';
import { splitKey } from '../meta/keys.ts';
import type { CallOptions } from '../resources/resource-handle.ts';
import { heldSpec, releasedSpec } from './leader-election.policy.ts';
import type { ElectionSettings } from './options.ts';

/** The four things a candidate does to the lease. All are critical: a late renewal ends a leadership. */
export interface LeaseLock {
  read(options: CallOptions): Promise<Lease | undefined>;
  /** Writes our name into the lease as it was read; `Conflict` or `AlreadyExists` if another was faster. */
  acquire(current: Lease | undefined, options: CallOptions): Promise<Lease>;
  /** Writes a new renewal time; undefined if another holds the lease now. */
  renew(held: Lease, options: CallOptions): Promise<Lease | undefined>;
  release(held: Lease, options: CallOptions): Promise<void>;
}

/** A lock on the lease of these settings. */
export function createLeaseLock({ leases, key, identity, leaseDurationMs, clock }: ElectionSettings): LeaseLock {
  const critical = (options: CallOptions): CallOptions => ({ ...options, priority: 'critical' });
  const held = (current: Lease | undefined) => heldSpec(current?.spec, identity, leaseDurationMs, clock.now());

  const read: LeaseLock['read'] = (options) => leases.find(key, critical(options));

  const acquire: LeaseLock['acquire'] = (current, options) =>
    current
      ? leases.replace({ ...current, spec: held(current) }, critical(options))
      : leases.create({ metadata: splitKey(key), spec: held(undefined) }, critical(options));

  return {
    read,
    acquire,
    async renew(lease, options) {
      try {
        return await acquire(lease, options);
      } catch (error) {
        if (!KubeError.is(error, 'Conflict') && !isAbsence(error)) throw error;
      }
      // It was changed, or our own last write took effect although its answer was lost.
      const newest = await read(options);
      if (newest && newest.spec?.holderIdentity !== identity) return undefined;
      return acquire(newest, options);
    },
    async release(lease, options) {
      await leases.replace({ ...lease, spec: releasedSpec(lease.spec, clock.now()) }, critical(options));
    },
  };
}
