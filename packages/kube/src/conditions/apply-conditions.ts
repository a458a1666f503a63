import type { Condition, KubeObject } from '@flotilla/schema';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real-clock.ts';
import { isAbsence } from '../errors/absence.ts';
import { KubeError } from '../errors/kube-error.ts';
import { keyOf } from '../meta/keys.ts';
import type { ResourceHandle, WriteOptions } from '../resources/resource-handle.ts';
import { type ConditionInput, setConditions } from './conditions.ts';

/** Any kind whose status has conditions. */
export interface ConditionedObject extends KubeObject {
  status?: { conditions?: Condition[] };
}

/** How conditions are written. */
export interface ApplyConditionsOptions extends WriteOptions {
  clock?: Pick<Clock, 'now'>;
  /** Whether conditions name the generation of the object that they are about, unless they name one themselves. Default: true. */
  observedGeneration?: boolean;
}

/** What came of it: the newest object known, and whether a request was needed. */
export interface AppliedConditions<T> {
  object: T;
  written: boolean;
}

/**
 * Sets the given conditions on an object's status and leaves all others alone; nothing is sent if nothing changes.
 *
 * The list is written whole by a merge patch, because many CRDs do not declare it as a map. The patch carries the resource
 * version, so that a condition that another owner wrote meanwhile is never lost: on such a conflict the object is read
 * again, once; a second conflict is thrown, for the queue to come back. An object that is gone counts as not written.
 */
export async function applyConditions<T extends ConditionedObject>(
  handle: Pick<ResourceHandle<T>, 'find' | 'status'>,
  object: T,
  conditions: readonly ConditionInput[],
  { clock = realClock, observedGeneration = true, ...options }: ApplyConditionsOptions = {},
): Promise<AppliedConditions<T>> {
  const key = keyOf(object);
  const { generation } = object.metadata ?? {};
  const wanted =
    observedGeneration && generation !== undefined
      ? conditions.map((condition) => ({ observedGeneration: generation, ...condition }))
      : conditions;
  const attempt = async (current: T): Promise<AppliedConditions<T>> => {
    const before = current.status?.conditions ?? [];
    const next = setConditions(before, wanted, clock.now());
    if (next === before) return { object: current, written: false };
    const { resourceVersion } = current.metadata ?? {};
    const body = { metadata: { resourceVersion }, status: { conditions: next } };
    return { object: await handle.status.patch(key, { type: 'merge', body }, options), written: true };
  };
  try {
    return await attempt(object);
  } catch (error) {
    if (isAbsence(error)) return { object, written: false };
    if (!KubeError.is(error, 'Conflict')) throw error;
    const newest = await handle.find(key, options);
    // Gone, or another of the same name: what was decided about the old one is not about it.
    if (!newest || newest.metadata?.uid !== object.metadata?.uid) return { object, written: false };
    return attempt(newest);
  }
}
