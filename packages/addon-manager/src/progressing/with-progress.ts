import type { ClusterManagementAddOn, ManagedClusterAddOn, ManagedClusterAddOnStatus } from '@flotilla/api-types';
import type { AddOnWorks } from './add-on-work.ts';
import { progressInputOf } from './progress-input.ts';
import { progressingSince, progressingStatus } from './progressing.status.ts';

/** A change of a status with the progress that follows from it: one write instead of two, and no moment in which old progress counts for new references. */
export const withProgress = (
  works: AddOnWorks,
  owner: ClusterManagementAddOn,
  addOn: ManagedClusterAddOn,
  change: Partial<ManagedClusterAddOnStatus>,
  now: number,
): Partial<ManagedClusterAddOnStatus> => {
  const changed = { ...addOn, status: { ...addOn.status, ...change } };
  const next = { ...change, ...progressingStatus(progressInputOf(works, owner, changed), now) };
  const { conditions = addOn.status?.conditions ?? [] } = next;
  return change.configReferences ? { ...next, conditions: progressingSince(conditions, now) } : next;
};
