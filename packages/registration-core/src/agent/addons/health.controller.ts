import { type ManagedClusterAddOn, ManagedClusterAddOnCondition, ManagedClusterAddOnReason } from '@flotilla/api-types';
import {
  after,
  applyConditions,
  type CachedResource,
  type ConditionInput,
  type Controller,
  defineController,
  done,
  type Lease,
  leases,
  on,
  parseTime,
  splitKey,
} from '@flotilla/kube';
import type { AgentContext } from '../context.ts';
import { installNamespaceOf, isHosted } from './registration.policy.ts';

const everyMs = 30_000;
const graceMs = 5 * 60_000;

/** What the lease of an add-on says about its agent. */
export function addonHealth(name: string, lease: Lease | undefined, now: number): ConditionInput {
  const type = ManagedClusterAddOnCondition.Available;
  const reasons = ManagedClusterAddOnReason.Available;
  if (!lease) {
    const message = `The status of ${name} add-on is unknown.`;
    return { type, status: 'Unknown', reason: reasons.ManagedClusterAddOnLeaseNotFound, message };
  }
  const renewed = parseTime(lease.spec?.renewTime) ?? 0;
  return renewed + graceMs > now
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
export function addonHealthController(
  { clock, management, spoke }: AgentContext,
  addons: CachedResource<ManagedClusterAddOn>,
): Controller {
  return defineController({
    name: 'addon-health',
    watches: [on(addons)],
    async reconcile(key, { signal }) {
      const addon = addons.get(key);
      // Somebody else knows better how such an add-on is.
      if (!addon || addon.status?.healthCheck?.mode === 'Customized') return done;
      const { name } = splitKey(key);
      const client = isHosted(addon) ? management : spoke;
      const lease = await client.resource(leases).find(`${installNamespaceOf(addon)}/${name}`, { signal });
      await applyConditions(addons, addon, [addonHealth(name, lease, clock.now())], { clock, signal });
      return after(everyMs, 'next look at the lease');
    },
  });
}
