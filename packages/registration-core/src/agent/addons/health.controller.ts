import { ManagedClusterAddOnCondition, ManagedClusterAddOnReason } from '@flotilla/api-types';
import {
  after,
  applyConditions,
  type ConditionInput,
  type Controller,
  defineController,
  done,
  on,
  splitKey,
} from '@flotilla/kube';
import { TimestampAges } from '@flotilla/kube/clock';
import type { Lease } from '@flotilla/kube/kinds';
import { parseTime } from '@flotilla/kube/meta';
import { type AddonLeasesOptions, addonLeases, hasLease, leaseKeyOf } from './addon-leases.ts';

const graceMs = 5 * 60_000;

/** What the lease of an add-on says about its agent; `ageMs` is how long ago it was renewed. */
export function addonHealth(name: string, lease: Lease | undefined, ageMs: number): ConditionInput {
  const type = ManagedClusterAddOnCondition.Available;
  const reasons = ManagedClusterAddOnReason.Available;
  if (!lease) {
    const message = `The status of ${name} add-on is unknown.`;
    return { type, status: 'Unknown', reason: reasons.ManagedClusterAddOnLeaseNotFound, message };
  }
  return ageMs < graceMs
    ? {
        type,
        status: 'True',
        reason: reasons.ManagedClusterAddOnLeaseUpdated,
        message: `${name} add-on is available.`,
      }
    : {
        type,
        status: 'False',
        reason: reasons.ManagedClusterAddOnLeaseUpdateStopped,
        message: `${name} add-on is not available.`,
      };
}

/** Reports whether the agents of add-ons still renew their leases. */
export function addonHealthController(options: AddonLeasesOptions): Controller {
  const { addons, clock } = options;
  const followed = addonLeases(options);
  const ages = new TimestampAges(clock);
  return defineController({
    name: 'addon-health',
    isOptional: true,
    watches: [on(followed.changes), on(addons)],
    async reconcile(key, { signal }) {
      const addon = addons.get(key);
      if (!addon || !hasLease(addon)) {
        ages.forget(key);
        return done;
      }
      const leases = followed.of(key);
      // Until the first answer nothing is known, and its arrival wakes this controller.
      if (!leases?.synced) {
        if (leases?.lastError) throw leases.lastError;
        return done;
      }
      const lease = leases.get(leaseKeyOf(addon));
      const ageMs = ages.of(key, parseTime(lease?.spec?.renewTime) ?? 0);
      await applyConditions(addons, addon, [addonHealth(splitKey(key).name, lease, ageMs)], {
        clock,
        observedGeneration: false,
        signal,
      });
      return lease && ageMs < graceMs ? after(graceMs - ageMs, 'the lease is renewed by then, or too old') : done;
    },
  });
}
