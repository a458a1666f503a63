import { type ManagedClusterAddOn, ManagedClusterAddOnCondition, ManagedClusterAddOnReason } from '@flotilla/api-types';
import {
  after,
  applyConditions,
  type CachedResource,
  type Clock,
  type ConditionInput,
  type Controller,
  defineController,
  done,
  type KubeClient,
  on,
  splitKey,
} from '@flotilla/kube';
import { TimestampAges } from '@flotilla/kube/clock';
import { type Lease, leases } from '@flotilla/kube/kinds';
import { parseTime } from '@flotilla/kube/meta';
import { installNamespaceOf, isHosted } from './registration.policy.ts';

const everyMs = 30_000;
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

/** What the report needs. */
export interface AddonHealthOptions {
  readonly addons: CachedResource<ManagedClusterAddOn>;
  readonly management: KubeClient;
  readonly spoke: KubeClient;
  readonly clock: Clock;
}

/** Reports whether the agents of add-ons still renew their leases. */
export function addonHealthController({ addons, management, spoke, clock }: AddonHealthOptions): Controller {
  const ages = new TimestampAges(clock);
  return defineController({
    name: 'addon-health',
    isOptional: true,
    watches: [on(addons)],
    async reconcile(key, { signal }) {
      const addon = addons.get(key);
      // Another component reports the health of such an add-on.
      if (!addon || addon.status?.healthCheck?.mode === 'Customized') {
        ages.forget(key);
        return done;
      }
      const { name } = splitKey(key);
      const client = isHosted(addon) ? management : spoke;
      const lease = await client.resource(leases).find(`${installNamespaceOf(addon)}/${name}`, { signal });
      await applyConditions(
        addons,
        addon,
        [addonHealth(name, lease, ages.of(key, parseTime(lease?.spec?.renewTime) ?? 0))],
        { clock, observedGeneration: false, signal },
      );
      return after(everyMs, 'the next check of the lease');
    },
  });
}
