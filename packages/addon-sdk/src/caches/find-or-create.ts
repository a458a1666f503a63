import { type CachedResource, KubeError, keyOf } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';

/** An object that was created now, or that was there. */
export type Found<T> = { readonly created: T } | { readonly existing: T };

/**
 * Creates an object unless there is one of its name. One that the cache does not show, because it came at the same time or has no label of
 * ours, the server knows: then it is read there.
 */
export async function findOrCreate<T extends KubeObject>(
  cache: Pick<CachedResource<T>, 'get' | 'find' | 'create'>,
  wanted: T,
): Promise<Found<T>> {
  const key = keyOf(wanted);
  const cached = cache.get(key);
  if (cached) return { existing: cached };
  try {
    return { created: await cache.create(wanted) };
  } catch (error) {
    if (!KubeError.is(error, 'AlreadyExists')) throw error;
    const existing = await cache.find(key);
    if (!existing) throw error;
    return { existing };
  }
}
