import type { OperatorStatus } from '@flotilla/api-types';
import {
  type CachedResource,
  type Clock,
  type ConditionInput,
  isAbsence,
  keyOf,
  retryOnConflict,
} from '@flotilla/kube';
import { setConditions } from '@flotilla/kube/conditions';
import { semanticEqual } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import type { KeptObjects } from './kept-objects.ts';

/** What a reconcile observed. */
export interface OperatorReport {
  readonly conditions: readonly ConditionInput[];
  /** Absent: the last ones stay, because something failed before all objects were known. */
  readonly kept?: KeptObjects | undefined;
}

/** A ClusterManager or Klusterlet. */
export interface OperatedObject extends KubeObject {
  status?: OperatorStatus;
}

/** The status after a report; the same one if it says so already. Conditions of other owners stay. */
function reportedStatus(
  { metadata, status }: OperatedObject,
  { conditions, kept }: OperatorReport,
  now: number,
): OperatorStatus | undefined {
  const { generation } = metadata ?? {};
  const stamped = conditions.map((condition) => ({
    ...(generation !== undefined && { observedGeneration: generation }),
    ...condition,
  }));
  const next: OperatorStatus = {
    ...status,
    ...(generation !== undefined && { observedGeneration: generation }),
    conditions: [...setConditions(status?.conditions, stamped, now)],
    ...(kept && { relatedResources: [...kept.relatedResources], generations: [...kept.generations] }),
  };
  return semanticEqual(status, next) ? status : next;
}

/** Writes a report into the status, and nothing if it says so already. An object that is gone is left alone. */
export async function writeReport<T extends OperatedObject>(
  cache: Pick<CachedResource<T>, 'find' | 'status'>,
  object: T,
  report: OperatorReport,
  clock: Pick<Clock, 'now'>,
): Promise<void> {
  let given: T | undefined = object;
  await retryOnConflict(async () => {
    const current = given ?? (await cache.find(keyOf(object)));
    given = undefined;
    if (!current || current.metadata?.uid !== object.metadata?.uid) return;
    const status = reportedStatus(current, report, clock.now());
    if (status === current.status) return;
    const { resourceVersion } = current.metadata ?? {};
    try {
      await cache.status.patch(keyOf(object), { type: 'merge', body: { metadata: { resourceVersion }, status } });
    } catch (error) {
      if (!isAbsence(error)) throw error;
    }
  });
}
