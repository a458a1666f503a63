import {
  type ManagedClusterAddOn,
  ManagedClusterAddOnCondition,
  ManagedClusterAddOnReason,
  type ManagedClusterAddOnStatus,
} from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';
import { setCondition } from '@flotilla/kube/conditions';
import { semanticEqual } from '@flotilla/kube/meta';
import type { DesiredConfig } from '../configs/config.ts';
import { configReferencesFor, desiredConfigsFor } from './add-on-rollout.policy.ts';

const type = ManagedClusterAddOnCondition.Configured;
const reasons = ManagedClusterAddOnReason.Configured;

/** The configurations that the add-on should have now are in its status. */
const configured: ConditionInput = {
  type,
  status: 'True',
  reason: reasons.ConfigurationsConfigured,
  message: 'Configurations configured',
};

/** The rollout has not come to this cluster yet. */
const notConfigured: ConditionInput = {
  type,
  status: 'False',
  reason: reasons.ConfigurationsNotConfigured,
  message: 'Configurations updated and not configured yet',
};

type Change = Partial<ManagedClusterAddOnStatus> | undefined;

function conditionChange({ status }: ManagedClusterAddOn, condition: ConditionInput, now: number): Change {
  const conditions = status?.conditions ?? [];
  const next = setCondition(conditions, condition, now);
  return next === conditions ? undefined : { conditions: [...next] };
}

/** The add-on gets its configurations; undefined if it has them. */
export function configuredStatus(addOn: ManagedClusterAddOn, inherited: readonly DesiredConfig[], now: number): Change {
  const existing = addOn.status?.configReferences ?? [];
  const configReferences = configReferencesFor(existing, desiredConfigsFor(addOn, inherited));
  const conditions = conditionChange(addOn, configured, now);
  if (semanticEqual(existing, configReferences)) return conditions;
  return { configReferences, ...conditions };
}

/** The add-on has its configurations, and they are in use. */
export const succeededStatus = (addOn: ManagedClusterAddOn, now: number): Change =>
  conditionChange(addOn, configured, now);

/** The add-on waits for its turn, and keeps what it has. */
export const waitingStatus = (addOn: ManagedClusterAddOn, now: number): Change =>
  conditionChange(addOn, notConfigured, now);
