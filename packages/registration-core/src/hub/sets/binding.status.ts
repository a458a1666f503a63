import { ManagedClusterSetBindingCondition, ManagedClusterSetBindingReason } from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';

const type = ManagedClusterSetBindingCondition.Bound;
const reasons = ManagedClusterSetBindingReason.Bound;

/** Whether the set of a binding exists. */
export const boundStatus = (exists: boolean): ConditionInput =>
  exists
    ? { type, status: 'True', reason: reasons.ClusterSetBound, message: '' }
    : { type, status: 'False', reason: reasons.ClusterSetNotFound, message: '' };
