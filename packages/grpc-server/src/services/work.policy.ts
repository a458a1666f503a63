import { Finalizer, type ManifestWork } from '@flotilla/api-types';
import type { BundleStatus } from '@flotilla/cloudevents';
import { isConditionTrue } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import type { Condition } from '@flotilla/schema';

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

type WorkStatus = NonNullable<ManifestWork['status']>;

/**
 * What a report changes of the status that is stored; undefined if nothing. An agent that starts again does not know the status and reports
 * the same with the time of its start: a condition that has not changed keeps the time of its last transition.
 *
 * All clusters share the event loop that runs this, so it takes time in proportion to both statuses and no more.
 */
export function changedStatus(stored: WorkStatus | undefined, reported: WorkStatus): WorkStatus | undefined {
  const conditions = reported.conditions && withStoredTimes(stored?.conditions, reported.conditions);
  const known = new Map(stored?.resourceStatus?.manifests?.map((manifest) => [manifestKey(manifest), manifest]));
  const manifests = reported.resourceStatus?.manifests?.map((manifest) => {
    const { conditions: ofManifest } = manifest;
    if (!ofManifest) return manifest;
    return { ...manifest, conditions: withStoredTimes(known.get(manifestKey(manifest))?.conditions, ofManifest) };
  });
  const next = { ...(conditions && { conditions }), ...(manifests && { resourceStatus: { manifests } }) };
  return semanticEqual({ ...stored, ...next }, stored ?? {}) ? undefined : next;
}

type ManifestStatus = NonNullable<NonNullable<WorkStatus['resourceStatus']>['manifests']>[number];

/** Which manifest a status is of. An absent field is as good as an empty one. */
function manifestKey({ resourceMeta }: ManifestStatus): string {
  const { ordinal = 0, group, version, kind, resource, namespace, name } = resourceMeta ?? {};
  return JSON.stringify([ordinal, ...[group, version, kind, resource, namespace, name].map((field) => field || '')]);
}

function withStoredTimes(stored: readonly Condition[] = [], reported: readonly Condition[]): Condition[] {
  const known = new Map(stored.map((condition) => [condition.type, condition]));
  return reported.map((condition) => {
    const before = known.get(condition.type);
    const isKept = before?.status === condition.status && before.lastTransitionTime;
    return isKept ? { ...condition, lastTransitionTime: before.lastTransitionTime } : condition;
  });
}

/** The finalizer by which the hub waits for the agent. */
export const cleanupFinalizer = Finalizer.ManifestWorkCleanup;
