import type { ManifestWork } from '@flotilla/api-types';
import { type CachedResource, isDeleting, keyOf } from '@flotilla/kube';
import { findOrCreate } from '../caches/find-or-create.ts';
import { isSameWork } from './same-work.ts';

/** The calls that writing works needs. */
export type WorkCache = Pick<CachedResource<ManifestWork>, 'get' | 'find' | 'create' | 'patch' | 'delete'>;

/**
 * Makes a work be as wanted, and returns it as it is then. Nothing is sent if it is so already; a merge patch carries the version that
 * the decision was made on. One that is on its way out comes back as it is: it is made anew once it is gone.
 */
export async function applyWork(works: WorkCache, wanted: ManifestWork): Promise<ManifestWork> {
  const key = keyOf(wanted);
  const found = await findOrCreate(works, wanted);
  if ('created' in found) return found.created;
  const { existing } = found;
  if (isDeleting(existing) || isSameWork(existing, wanted)) return existing;
  const { uid, resourceVersion, ownerReferences, labels, annotations } = existing.metadata ?? {};
  const metadata = {
    uid,
    resourceVersion,
    labels: { ...labels, ...wanted.metadata?.labels },
    annotations: { ...annotations, ...wanted.metadata?.annotations },
    ownerReferences: wanted.metadata?.ownerReferences ?? ownerReferences ?? [],
  };
  // What is gone from the spec must be named, or a merge keeps it.
  const spec = { deleteOption: null, manifestConfigs: null, executor: null, ...wanted.spec };
  return works.patch(key, { type: 'merge', body: { metadata, spec } });
}

/** Deletes a work that is there and not on its way out. */
export async function deleteWork(works: WorkCache, work: ManifestWork): Promise<void> {
  if (isDeleting(work)) return;
  await works.delete(keyOf(work), { preconditions: { uid: work.metadata?.uid } });
}
