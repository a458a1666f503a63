import type { ManifestResourceMeta } from '@flotilla/api-types';
import { ApplyError, failureOf, type ManifestFailure } from '../apply/failure.ts';

/** Changes that were undone within this time count together. */
export const conflictWindowMs = 600_000;
/** After so many of them the conflicting writer is named and left alone. */
const maxRepairs = 5;
/** For so long. */
export const conflictPauseMs = 300_000;

/** The times of the changes that were undone lately, this one included. */
export const repairsWith = (repairs: readonly number[], now: number): number[] =>
  [...repairs, now].filter((time) => now - time < conflictWindowMs);

/** Whether another writer changes the object each time it is applied. */
export const isConflict = (repairs: readonly number[]): boolean => repairs.length >= maxRepairs;

/** Names the writers that keep changing an object, instead of undoing their changes for ever. */
export function conflictFailure(
  { resource, namespace, name }: ManifestResourceMeta,
  undone: 'changed' | 'deleted',
  writers: readonly string[],
): ManifestFailure {
  const who = writers.length > 0 ? writers.map((writer) => `"${writer}"`).join(', ') : 'another writer';
  // The writers of an object that was deleted are not known any more.
  const by = undone === 'deleted' ? '' : ` by ${who}`;
  const what = `${resource} ${namespace ? `${namespace}/` : ''}${name}`;
  return failureOf(
    new ApplyError({
      message: `${what} is ${undone}${by} each time it is applied, will try again in 5m0s`,
      retryAfterMs: conflictPauseMs,
      waits: true,
    }),
  );
}
