import { Finalizer, type ManifestFeedbackValue, type ManifestWork, ManifestWorkCondition } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import type { Condition } from '@flotilla/schema';

/** One condition of a work. */
export const conditionOf = ({ status }: ManifestWork, type: string): Condition | undefined =>
  findCondition(status?.conditions, type);

/** Whether the agent of the cluster has taken the work over. */
export const isTaken = ({ metadata }: ManifestWork): boolean =>
  metadata?.finalizers?.includes(Finalizer.ManifestWorkCleanup) ?? false;

/** Whether a condition is about the newest spec. */
export const isCurrent = ({ metadata }: ManifestWork, condition: Condition | undefined): boolean =>
  condition !== undefined && (condition.observedGeneration ?? 0) === (metadata?.generation ?? 0);

/** A value that an agent reported, as text. */
export function feedbackText({ name, fieldValue }: ManifestFeedbackValue): string {
  const { integer, string, boolean, jsonRaw } = fieldValue;
  return `${name}=${integer ?? string ?? boolean ?? jsonRaw ?? ''}`;
}

/** Where a work is on its way, in one sentence; empty if all is well. */
export function stageOf(work: ManifestWork): string {
  const applied = conditionOf(work, ManifestWorkCondition.Applied);
  if (work.metadata?.deletionTimestamp) {
    return isTaken(work) ? 'is being deleted: the agent deletes what it applied' : 'is being deleted';
  }
  if (!applied) return isTaken(work) ? 'the agent has taken it' : 'waits for the agent of the cluster';
  if (!isCurrent(work, applied)) return 'the agent has not seen the last change yet';
  if (applied.status !== 'True') return firstFailure(work) ?? applied.message;
  const available = conditionOf(work, ManifestWorkCondition.Available);
  return available && available.status !== 'True' ? available.message : '';
}

function firstFailure({ status }: ManifestWork): string | undefined {
  for (const { resourceMeta, conditions } of status?.resourceStatus?.manifests ?? []) {
    const failed = conditions.find(({ type, status: value }) => type === 'Applied' && value === 'False');
    if (failed)
      return `${resourceMeta.kind || 'manifest'} ${resourceMeta.name || resourceMeta.ordinal}: ${failed.message}`;
  }
  return undefined;
}
