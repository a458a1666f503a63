import { type CachedResource, KubeError, keyOf } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import { findOrCreate } from './find-or-create.ts';

/** What tells objects of one kind apart from what was wanted, and whether a difference needs a new object. */
export interface Comparison<T extends KubeObject> {
  /** The fields that count. */
  content(object: T): unknown;
  /** A field that cannot be changed. */
  fixed?(object: T): unknown;
  /** An object whose fixed field is another one is not replaced by a new object. */
  readonly isKept?: boolean;
  /** What is wanted where an object exists that others share; by default what is wanted in any case. */
  merge?(existing: T, wanted: T): T;
}

/** Makes an object be as wanted. Labels of others stay, owners are added. */
export async function ensure<T extends KubeObject>(
  cache: CachedResource<T>,
  given: T,
  { content, fixed = () => undefined, isKept = false, merge = (_, own) => own }: Comparison<T>,
): Promise<void> {
  const key = keyOf(given);
  const found = await findOrCreate(cache, given);
  if ('created' in found) return;
  const { existing } = found;
  const wanted = merge(existing, given);
  if (!semanticEqual(fixed(existing), fixed(wanted))) {
    if (isKept) {
      throw new KubeError('Conflict', `${key} is there, and differs in what cannot be changed`, {
        hint: 'If it came at the same time, this is tried again. Otherwise delete it, or rename it.',
      });
    }
    await cache.delete(key, { preconditions: { uid: existing.metadata?.uid } });
    await cache.create(wanted);
    return;
  }
  const labels = { ...existing.metadata?.labels, ...wanted.metadata?.labels };
  const owners = existing.metadata?.ownerReferences ?? [];
  const added = (wanted.metadata?.ownerReferences ?? []).filter(
    ({ uid }) => !owners.some((owner) => owner.uid === uid),
  );
  const isSame =
    semanticEqual(content(existing), content(wanted)) &&
    semanticEqual(existing.metadata?.labels, labels) &&
    added.length === 0;
  if (isSame) return;
  const metadata = { ...existing.metadata, labels, ownerReferences: [...owners, ...added] };
  await cache.replace({ ...existing, ...wanted, metadata });
}
