import {
  isReadinessReported,
  type ManifestCondition,
  type ManifestWork,
  ManifestWorkCondition,
  ManifestWorkReason,
  type ManifestWorkStatus,
  WorkManifestCondition,
} from '@flotilla/api-types';
import { type ConditionInput, findCondition } from '@flotilla/kube';
import { setCondition, setConditions } from '@flotilla/kube/conditions';
import type { Condition } from '@flotilla/schema';
import { aggregateRuleConditions } from '../condition-rules/aggregate.ts';
import { type ManifestResult, manifestConditions } from './manifest-status.ts';
import { ReportedManifests } from './reported-manifests.ts';
import { fitStatus } from './status-size.ts';

/** What a sync found out about a work. */
export interface WorkFindings {
  /** In the order of the manifests. */
  readonly results: readonly ManifestResult[];
  /** A completed work is observed and not applied: its Applied condition stays. */
  readonly isFrozen: boolean;
}

/** The status of a work after a sync. Pure; the same time is given to all that changed. */
export function workStatus(work: ManifestWork, { results, isFrozen }: WorkFindings, now: number): ManifestWorkStatus {
  const generation = work.metadata?.generation ?? 0;
  const reportsReadiness = isReadinessReported(work);
  const before = new ReportedManifests(work.status?.resourceStatus?.manifests);
  const manifests = results.map((result): ManifestCondition => {
    const old = before.find(result.meta);
    return {
      resourceMeta: result.meta,
      ...manifestConditions(old, result, { generation, isFrozen, reportsReadiness, now }),
    };
  });
  const own = [...(isFrozen ? [] : applied(manifests, generation)), availability(manifests, generation)];
  const conditions = setConditions(work.status?.conditions, own, now);
  const whole = {
    conditions: [...aggregateRuleConditions(conditions, manifests, { generation, now })],
    resourceStatus: { manifests },
  };
  return fitStatus(work, whole, now);
}

/** The status of a work of which nothing can be applied yet, and why. */
export const heldUpStatus = (work: ManifestWork, why: string, now: number): ManifestWorkStatus => ({
  ...work.status,
  conditions: [
    ...setCondition(
      work.status?.conditions,
      {
        type: ManifestWorkCondition.Applied,
        status: 'False',
        reason: ManifestWorkReason.Applied.AppliedManifestWorkFailed,
        message: `Failed to apply manifest work: ${why}`,
        observedGeneration: work.metadata?.generation ?? 0,
      },
      now,
    ),
  ],
});

/** The status of a work that is being deleted. */
export const deletingStatus = (work: ManifestWork, now: number): ManifestWorkStatus => ({
  ...work.status,
  conditions: [
    ...setCondition(
      work.status?.conditions,
      {
        type: ManifestWorkCondition.Deleting,
        status: 'True',
        reason: ManifestWorkReason.Deleting.WorkDeleting,
        message: 'ManifestWork is being deleted',
        observedGeneration: work.metadata?.generation ?? 0,
      },
      now,
    ),
  ],
});

/** A work without manifests has no Applied condition. */
function applied(manifests: readonly ManifestCondition[], observedGeneration: number): ConditionInput[] {
  if (manifests.length === 0) return [];
  const type = ManifestWorkCondition.Applied;
  const hasFailed = manifests.some(({ conditions }) => isFalse(conditions, WorkManifestCondition.Applied));
  if (hasFailed) {
    const reason = ManifestWorkReason.Applied.AppliedManifestWorkFailed;
    return [{ type, status: 'False', reason, message: 'Failed to apply manifest work', observedGeneration }];
  }
  const reason = ManifestWorkReason.Applied.AppliedManifestWorkComplete;
  return [{ type, status: 'True', reason, message: 'Apply manifest work complete', observedGeneration }];
}

const isFalse = (conditions: readonly Condition[], type: string): boolean =>
  findCondition(conditions, type)?.status === 'False';

function availability(manifests: readonly ManifestCondition[], observedGeneration: number): ConditionInput {
  const type = ManifestWorkCondition.Available;
  const count = (status: Condition['status']): number =>
    manifests.filter(({ conditions }) => findCondition(conditions, WorkManifestCondition.Available)?.status === status)
      .length;
  const { ResourcesAvailable, ResourcesNotAvailable, ResourcesStatusUnknown } = ManifestWorkReason.Available;
  const missing = count('False');
  if (missing > 0) {
    const message = `${missing} of ${manifests.length} resources are not available`;
    return { type, status: 'False', reason: ResourcesNotAvailable, message, observedGeneration };
  }
  const unknown = count('Unknown');
  if (unknown > 0) {
    const message = `${unknown} of ${manifests.length} resources have unknown status`;
    return { type, status: 'Unknown', reason: ResourcesStatusUnknown, message, observedGeneration };
  }
  if (count('True') === 0) {
    // The space at the end is OCM's.
    const message = 'cannot get any available resource ';
    return { type, status: 'Unknown', reason: ResourcesStatusUnknown, message, observedGeneration };
  }
  return {
    type,
    status: 'True',
    reason: ResourcesAvailable,
    message: 'All resources are available',
    observedGeneration,
  };
}
