import { errorMessageOf } from '../apply/failure.ts';
import { type ObjectState, type ObservedState, versionOf, withoutVersion } from './object-state.ts';
import type { ResolvedManifest } from './resolve-manifest.ts';
import type { SyncDeps, WorkSync } from './sync.ts';

/** Reads the object, whatever is known about its application. */
export async function observeObject(
  { tracker, rules }: SyncDeps,
  sync: WorkSync,
  { handle, target, config }: ResolvedManifest,
  known: ObservedState,
): Promise<ObservedState> {
  const kept = withoutVersion(known);
  try {
    const object = await handle.find(target.key, { signal: sync.signal });
    if (!object) return { ...kept, presence: { kind: 'missing' } };
    tracker.advance(sync.holder, target, object.metadata ?? {});
    return { ...kept, ...versionOf(object), observation: await rules.observe(object, config) };
  } catch (error) {
    return { ...kept, presence: { kind: 'unreadable', message: errorMessageOf(error) }, uid: known.uid };
  }
}

/** Finds out whether an object exists that must not be read, if this work applied it; nothing is reported of other objects. */
export async function checkExistence(
  { spoke, tracker, rules }: SyncDeps,
  { applied, signal }: WorkSync,
  { target, identity, config }: ResolvedManifest,
  known: ObservedState,
  reason: string,
): Promise<ObservedState> {
  const { uid } = known;
  const kept = { ...withoutVersion(known), observation: rules.refuse(config, reason) };
  const unreadable = { ...kept, uid, presence: { kind: 'unreadable', message: reason } } as const;
  if (uid === undefined && !applied.has(identity)) return unreadable;
  const cached = tracker.cached(target);
  try {
    const metadata =
      cached.kind === 'unknown'
        ? (await spoke.metadata(target.type).find(target.key, { signal }))?.metadata
        : cached.kind === 'present'
          ? cached.metadata
          : undefined;
    if (!metadata) return { ...kept, presence: { kind: 'missing' } };
    return { ...kept, uid: metadata.uid };
  } catch (error) {
    return { ...unreadable, presence: { kind: 'unreadable', message: errorMessageOf(error) } };
  }
}

/** A state that the cached metadata confirms, with the version that is cached now. */
export function withCachedVersion(
  { tracker }: SyncDeps,
  { target }: ResolvedManifest,
  state: ObjectState,
): ObservedState {
  const cached = tracker.cached(target);
  const { resourceVersion, generation } = cached.kind === 'present' ? cached.metadata : {};
  const { presence: _, ...kept } = state;
  return { ...kept, resourceVersion, generation };
}
