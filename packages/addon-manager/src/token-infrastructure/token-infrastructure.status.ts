import {
  type ManagedClusterAddOn,
  ManagedClusterAddOnCondition,
  ManagedClusterAddOnReason,
  type ManagedClusterAddOnStatus,
} from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';
import { removeCondition, setCondition } from '@flotilla/kube/conditions';

/** The condition that agents wait for. */
export const tokenInfrastructureReady = ManagedClusterAddOnCondition.TokenInfrastructureReady;
const reasons = ManagedClusterAddOnReason.TokenInfrastructureReady;

/** The account is there. Agents read its UID from the message, so the words are part of the protocol. */
export const readyCondition = (account: string, uid: string): ConditionInput => ({
  type: tokenInfrastructureReady,
  status: 'True',
  reason: reasons.TokenInfrastructureReady,
  message: `ServiceAccount ${account} (UID: ${uid}) is ready`,
});

/** The account or its rights could not be made. */
export const failedCondition = (error: unknown): ConditionInput => ({
  type: tokenInfrastructureReady,
  status: 'False',
  reason: reasons.TokenInfrastructureApplyFailed,
  message: `Failed to apply token infrastructure: ${error instanceof Error ? error.message : error}`,
});

/** The status with the condition, or without one if there is none; undefined if it is so already. */
export function tokenStatus(
  { status }: ManagedClusterAddOn,
  condition: ConditionInput | undefined,
  now: number,
): Partial<ManagedClusterAddOnStatus> | undefined {
  const before = status?.conditions ?? [];
  const next = condition ? setCondition(before, condition, now) : removeCondition(before, tokenInfrastructureReady);
  return next === before ? undefined : { conditions: [...next] };
}
