import { ManifestWorkReplicaSetCondition, ManifestWorkReplicaSetReason } from '@flotilla/api-types';
import { type ConditionInput, findCondition } from '@flotilla/kube';
import { describeMissing } from '@flotilla/placement/rollout';
import type { Condition } from '@flotilla/schema';
import type { PlacementOutcome } from './outcome.ts';

/**
 * The condition that says which works stay because decisions are missing: none if none do and none did. A hold that is reported
 * already stays reported, whether or not it `isDue` in this process: another leader may have reported it.
 */
export function heldCondition(
  conditions: readonly Condition[] | undefined,
  placements: readonly Pick<PlacementOutcome, 'name' | 'held'>[],
  isDue: boolean,
): ConditionInput[] {
  const type = ManifestWorkReplicaSetCondition.RemovalHeld;
  const reasons = ManifestWorkReplicaSetReason.RemovalHeld;
  const messages = placements.flatMap(({ name, held }) =>
    held
      ? `Placement ${name}: ${describeMissing(held)}. ${held.works} works are kept until decisions and status agree; remove the placementRef from the replica set to remove them.`
      : [],
  );
  const old = findCondition(conditions, type);
  if (messages.length > 0 && (isDue || old?.status === 'True')) {
    return [{ type, status: 'True', reason: reasons.DecisionsMissing, message: messages.join(' ') }];
  }
  return old ? [{ type, status: 'False', reason: reasons.NoRemovalHeld, message: '' }] : [];
}
