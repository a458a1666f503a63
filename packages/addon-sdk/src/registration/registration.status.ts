import { ManagedClusterAddOnCondition, ManagedClusterAddOnReason } from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';

const type = ManagedClusterAddOnCondition.RegistrationApplied;
const reasons = ManagedClusterAddOnReason.RegistrationApplied;
const configured = 'Registration of the addon agent is configured';

/** The agents need no access to the hub. */
export const nilRegistration: ConditionInput = {
  type,
  status: 'True',
  reason: reasons.NilRegistration,
  message: configured,
};

/** The agents have their permissions. */
export const permissionApplied: ConditionInput = {
  type,
  status: 'True',
  reason: reasons.SetPermissionApplied,
  message: configured,
};

/** The cluster has not said yet who its agent is. */
export const permissionPending: ConditionInput = {
  type,
  status: 'False',
  reason: reasons.PermissionConfigPending,
  message: 'registration subject not ready',
};

export const permissionFailed = (error: unknown): ConditionInput => ({
  type,
  status: 'False',
  reason: reasons.SetPermissionFailed,
  message: `Failed to set permission for hub agent: ${error instanceof Error ? error.message : String(error)}`,
});
