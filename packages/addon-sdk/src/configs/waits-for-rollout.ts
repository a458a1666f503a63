import { type ManagedClusterAddOn, ManagedClusterAddOnCondition } from '@flotilla/api-types';
import { findCondition, isDeleting } from '@flotilla/kube';

/** Whether the rollout of the newest configurations has not come to a cluster yet: it keeps those that it has. */
export const waitsForRollout = (addon: ManagedClusterAddOn): boolean =>
  !isDeleting(addon) &&
  findCondition(addon.status?.conditions, ManagedClusterAddOnCondition.Configured)?.status === 'False';
