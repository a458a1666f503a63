import { Finalizer, type ManifestWork } from '@flotilla/api-types';
import type { BundleStatus } from '@flotilla/cloudevents';
import { isConditionTrue } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';

/** What a report on a ManifestWork leads to. */
export type ReportDecision =
  /** The work is gone, or the report is about an older one. */
  | 'ignore'
  /** The agent has removed all objects: the hub may remove the work. */
  | 'release'
  | 'store';

/** Decides about a report. */
export function decideReport(work: ManifestWork | undefined, { generation, status }: BundleStatus): ReportDecision {
  if (!work) return 'ignore';
  if (isConditionTrue(status.conditions, 'Deleted')) return 'release';
  return BigInt(work.metadata?.generation ?? 0) > generation ? 'ignore' : 'store';
}

/** Whether an agent has to know of a change: not of one of the status, which it reported itself. */
export function isNewsForAgent({ metadata = {} }: ManifestWork, { metadata: previous = {} }: ManifestWork): boolean {
  return (
    metadata.deletionTimestamp !== undefined ||
    (metadata.generation ?? 0) > (previous.generation ?? 0) ||
    !semanticEqual(metadata.labels ?? {}, previous.labels ?? {}) ||
    !semanticEqual(metadata.annotations ?? {}, previous.annotations ?? {})
  );
}

/** The finalizer by which the hub waits for the agent. */
export const cleanupFinalizer = Finalizer.ManifestWorkCleanup;
