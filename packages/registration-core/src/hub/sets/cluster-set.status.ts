import { ManagedClusterSetCondition, ManagedClusterSetReason } from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';

const type = ManagedClusterSetCondition.Empty;
const reasons = ManagedClusterSetReason.Empty;
const none = 'No ManagedCluster selected';

/** How many clusters are in a set. */
export const membership = (count: number): ConditionInput =>
  count === 0
    ? { type, status: 'True', reason: reasons.NoClusterMatched, message: none }
    : { type, status: 'False', reason: reasons.ClustersSelected, message: `${count} ManagedClusters selected` };

/** A set that cannot be understood has no members, and says why. */
export const brokenSet = (error: unknown): ConditionInput => ({
  type,
  status: 'True',
  reason: reasons.NoClusterMatched,
  message: `${none}: ${error instanceof Error ? error.message : String(error)}`,
});
