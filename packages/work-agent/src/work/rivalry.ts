import type { ManifestResourceMeta } from '@flotilla/api-types';
import { ApplyError, failureOf, type ManifestFailure } from '../apply/failure.ts';
import { rivalryPauseMs } from './settle.policy.ts';

/** Names whoever keeps changing an object, instead of undoing it for ever. */
export function rivalryOf(
  writers: readonly string[],
  { resource, namespace, name }: ManifestResourceMeta,
): ManifestFailure {
  const who = writers.length > 0 ? writers.map((writer) => `"${writer}"`).join(', ') : 'another writer';
  const what = `${resource} ${namespace ? `${namespace}/` : ''}${name}`;
  return failureOf(
    new ApplyError({
      message: `${what} is changed by ${who} each time it is applied, will try again in 5m0s`,
      retryAfterMs: rivalryPauseMs,
      waits: true,
    }),
  );
}
