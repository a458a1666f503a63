import { mergeMetadata } from '../apply/update/metadata.ts';
import type { CachedMetadata } from '../watch/kind-watch.ts';
import type { ObjectState } from './object-state.ts';
import type { ResolvedManifest } from './resolve-manifest.ts';

/**
 * What a sync does about an object: `none` sends no request; `record` takes over the cached metadata; `observe` reads the object;
 * `apply` reads what it must and writes what differs.
 */
export type Step = 'none' | 'record' | 'observe' | 'apply';

/** What the decision depends on. */
export type Desired = Pick<ResolvedManifest, 'intent' | 'rules' | 'metadata' | 'strategy' | 'isFrozen'>;

/** Decides by what is known without a request. */
export function nextStep(state: ObjectState | undefined, cached: CachedMetadata, desired: Desired, now: number): Step {
  const write = desired.isFrozen || desired.strategy === 'ReadOnly' ? 'observe' : 'apply';
  if (!state || state.intent !== desired.intent || (state.isFrozen && !desired.isFrozen)) return write;
  if (state.pausedUntil !== undefined && now < state.pausedUntil) return 'observe';
  if (state.failure || cached.kind === 'unknown') return write;
  if (cached.kind === 'deleted') return write === 'observe' && state.uid === undefined ? 'none' : write;

  const { metadata } = cached;
  if (metadata.uid !== state.uid) return write;
  const read = desired.rules === '' ? 'record' : 'observe';
  if (metadata.resourceVersion === state.resourceVersion) return state.rules === desired.rules ? 'none' : 'observe';
  if (write === 'observe') return read;
  // Only a change of the body moves the generation, where a kind has one.
  const isBodyRight =
    desired.strategy === 'CreateOnly' ||
    (metadata.generation !== undefined && metadata.generation === state.generation);
  return isBodyRight && mergeMetadata(metadata, desired.metadata) === metadata ? read : 'apply';
}
