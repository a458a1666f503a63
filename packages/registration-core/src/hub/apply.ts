import {
  type CachedResource,
  hasFinalizer,
  isAbsence,
  isDeleting,
  KubeError,
  keyOf,
  removeFinalizer,
} from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';

const hasLabels = (object: KubeObject, labels: Readonly<Record<string, string>>): boolean =>
  Object.entries(labels).every(([key, value]) => object.metadata?.labels?.[key] === value);

/** The desired fields besides metadata: rules, subjects, role reference. */
const sameContent = <T extends KubeObject>(existing: T, wanted: T): boolean => {
  const { metadata: _, apiVersion: _a, kind: _k, ...content } = wanted;
  const present = new Map<string, unknown>(Object.entries(existing));
  return Object.entries(content).every(([field, value]) => semanticEqual(present.get(field), value));
};

const sameRole = (existing: KubeObject, wanted: KubeObject): boolean =>
  !('roleRef' in existing && 'roleRef' in wanted) || semanticEqual(existing.roleRef, wanted.roleRef);

/**
 * Makes an object be as wanted, and returns it as it is then. Labels and annotations of others stay, and annotations are written only at
 * its creation. One that is there without our label is not in the cache: then the server says so, and it is read there. A role reference
 * cannot be changed, so such a binding is made anew, and one that is being deleted and waits only for our finalizer is released first.
 */
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
  if (isDeleting(existing)) {
    for (const finalizer of wanted.metadata?.finalizers ?? []) {
      if (hasFinalizer(existing, finalizer)) await removeFinalizer(cache, existing, finalizer);
    }
    return cache.create(wanted);
  }
  const labels = wanted.metadata?.labels ?? {};
  if (!sameRole(existing, wanted)) {
    for (const finalizer of wanted.metadata?.finalizers ?? []) await removeFinalizer(cache, existing, finalizer);
    await cache.delete(key);
    return cache.create(wanted);
  }
  if (hasLabels(existing, labels) && sameContent(existing, wanted)) return existing;
  const metadata = { ...existing.metadata, labels: { ...existing.metadata?.labels, ...labels } };
  return cache.replace({ ...existing, ...wanted, metadata });
}

/** Deletes an object that is there and not yet on its way out. */
export async function ensureAbsent<T extends KubeObject>(cache: CachedResource<T>, key: string): Promise<void> {
  const existing = cache.get(key);
  if (existing && !isDeleting(existing)) await cache.delete(key);
}

/**
 * Takes our finalizer from an object that was just deleted. The cache does not know of the deletion yet, so no resource version guards
 *the list; no finalizer can be added any more, and the uid says which object is meant.
 */
export async function release<T extends KubeObject>(
  cache: CachedResource<T>,
  object: T,
  finalizer: string,
): Promise<void> {
  if (!hasFinalizer(object, finalizer)) return;
  const { uid, finalizers = [] } = object.metadata ?? {};
  const metadata = { uid, finalizers: finalizers.filter((other) => other !== finalizer) };
  try {
    await cache.patch(keyOf(object), { type: 'merge', body: { metadata } });
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
}
