import { findOrCreate } from '@flotilla/addon-sdk';
import { type CachedResource, KubeError, keyOf } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';

/** Whether an object of the wanted name was made for the wanted add-on, by this manager or by OCM's: the labels say so. */
const isOwn = ({ metadata }: KubeObject, wanted: KubeObject): boolean =>
  Object.entries(wanted.metadata?.labels ?? {}).every(([key, value]) => metadata?.labels?.[key] === value);

const isSame = <T extends KubeObject>(existing: T, { metadata: _, ...content }: T): boolean => {
  const present = new Map<string, unknown>(Object.entries(existing));
  return Object.entries(content).every(([field, value]) => semanticEqual(present.get(field), value));
};

/**
 * Makes an object be as wanted; labels of others stay. One that is there without our labels is somebody else's: agents would get its
 * tokens, and it would be deleted with the add-on, so it is refused.
 */
export async function ensure<T extends KubeObject>(cache: CachedResource<T>, kind: string, wanted: T): Promise<T> {
  const key = keyOf(wanted);
  const found = await findOrCreate(cache, wanted);
  if ('created' in found) return found.created;
  const { existing } = found;
  if (!isOwn(existing, wanted)) throw taken(kind, wanted);
  if (isSame(existing, wanted)) return existing;
  const { metadata: _, ...content } = wanted;
  const { uid, resourceVersion } = existing.metadata ?? {};
  const body = { metadata: { uid, resourceVersion }, ...content };
  return cache.patch(key, { type: 'merge', body });
}

/** Deletes what `ensure` made, and nothing that took its name since. */
export async function removeOwn<T extends KubeObject>(cache: CachedResource<T>, wanted: T): Promise<void> {
  const existing = cache.get(keyOf(wanted));
  if (!existing || !isOwn(existing, wanted)) return;
  await cache.delete(keyOf(existing), { preconditions: { uid: existing.metadata?.uid } });
}

function taken(kind: string, wanted: KubeObject): KubeError {
  const labels = Object.entries(wanted.metadata?.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return new KubeError(
    'AlreadyExists',
    `${kind} ${keyOf(wanted)} is there and was not made for this add-on; delete or rename it, ` +
      `or hand it to the add-on with the labels ${labels.join(' and ')}`,
    { status: 409, hint: 'Delete or rename the object that is there.' },
  );
}
