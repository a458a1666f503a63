import type { ConditionInput } from '@flotilla/kube';
import type { EpochMs } from '@flotilla/kube/clock';

/** Condition of a ManagedCluster: False while the token of a pushed cluster cannot be renewed. Written only once that has happened. */
export const accessRenewedCondition = 'MemberAccessRenewed';

/** The token was renewed again. */
export const renewed: ConditionInput = {
  type: accessRenewedCondition,
  status: 'True',
  reason: 'TokenRenewed',
  message: 'The token by which the hub reaches the cluster is renewed in time.',
};

/** The token could not be renewed. */
export const notRenewed = (message: string, expiresAt: EpochMs): ConditionInput => ({
  type: accessRenewedCondition,
  status: 'False',
  reason: 'TokenRequestFailed',
  message: `The token by which the hub reaches the cluster ends at ${new Date(expiresAt).toISOString()} and cannot be renewed: ${message}`,
});
