import type { ConditionInput } from '@flotilla/kube';

/** Condition of a ManagedCluster: whether what its driver makes outside of the hub is there. Each driver has its own. */
const externalPermissionsCondition = (authType: string): string => `${authType}/PermissionsReady`;

/** All of it is there. */
export const ready = (authType: string): ConditionInput => ({
  type: externalPermissionsCondition(authType),
  status: 'True',
  reason: 'PermissionsReady',
  message: `What ${authType} needs outside of the hub is there`,
});

/** Something outside of the hub has yet to happen. */
export const waiting = (authType: string, why: string): ConditionInput => ({
  type: externalPermissionsCondition(authType),
  status: 'False',
  reason: 'Waiting',
  message: why,
});

/** The driver failed, and tries again. */
export const failed = (authType: string, error: unknown): ConditionInput => ({
  type: externalPermissionsCondition(authType),
  status: 'False',
  reason: 'Failed',
  message: error instanceof Error ? error.message : String(error),
});

/** All of it is removed. */
export const removed = (authType: string): ConditionInput => ({
  type: externalPermissionsCondition(authType),
  status: 'False',
  reason: 'PermissionsRemoved',
  message: `What ${authType} made outside of the hub is removed`,
});
