import { type CachedResource, KubeError, keyOf } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';

const isSame = <T extends KubeObject>(existing: T, { metadata, ...content }: T): boolean => {
  const present = new Map<string, unknown>(Object.entries(existing));
  return (
    Object.entries(metadata?.labels ?? {}).every(([key, value]) => existing.metadata?.labels?.[key] === value) &&
    Object.entries(content).every(([field, value]) => semanticEqual(present.get(field), value))
  );
};

/** Makes an object be as wanted; labels of others stay. One without our labels is not in the cache: it is read and taken over. */
export async function ensure<T extends KubeObject>(cache: CachedResource<T>, wanted: T): Promise<T> {
  const key = keyOf(wanted);
  let existing = cache.get(key);
  if (!existing) {
    try {
      return await cache.create(wanted);
    } catch (error) {
      if (!KubeError.is(error, 'AlreadyExists')) throw error;
      existing = await cache.find(key);
      if (!existing) throw error;
    }
  }
  if (isSame(existing, wanted)) return existing;
  const { metadata, ...content } = wanted;
  const { uid, resourceVersion } = existing.metadata ?? {};
  const body = { metadata: { uid, resourceVersion, labels: metadata?.labels }, ...content };
  return cache.patch(key, { type: 'merge', body });
}
