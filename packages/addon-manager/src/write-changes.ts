import { type CachedResource, isAbsence, keyOf, type Patch, retryOnConflict } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';

/** Any kind with a status. */
interface StatusObject extends KubeObject {
  status?: object;
}

/**
 * Patches what `change` wants, and nothing if it wants nothing. Several controllers, in several processes, write to one add-on: on a conflict the
 * object is read and `change` is asked again. An object that is gone, or another of its name, is left alone.
 */
async function patchOnConflict<T extends KubeObject>(
  { find }: Pick<CachedResource<T>, 'find'>,
  patch: (key: string, patch: Patch) => Promise<T>,
  object: T,
  change: (current: T) => { readonly metadata?: object; readonly status?: object } | undefined,
): Promise<void> {
  const key = keyOf(object);
  let given: T | undefined = object;
  await retryOnConflict(async () => {
    const current = given ?? (await find(key));
    given = undefined;
    if (!current || current.metadata?.uid !== object.metadata?.uid) return;
    const changes = change(current);
    if (!changes) return;
    const { uid, resourceVersion } = current.metadata ?? {};
    try {
      await patch(key, {
        type: 'merge',
        body: { ...changes, metadata: { ...changes.metadata, uid, resourceVersion } },
      });
    } catch (error) {
      if (!isAbsence(error)) throw error;
    }
  });
}

/** Writes what `change` wants of a status. */
export const writeStatus = <T extends StatusObject>(
  cache: Pick<CachedResource<T>, 'find' | 'status'>,
  object: T,
  change: (current: T) => Partial<NonNullable<T['status']>> | undefined,
): Promise<void> =>
  patchOnConflict(
    { find: (key) => cache.find(key) },
    (key, patch) => cache.status.patch(key, patch),
    object,
    (current) => {
      const status = change(current);
      return status && { status };
    },
  );

/** Writes what `change` wants of metadata. */
export const writeMetadata = <T extends KubeObject>(
  cache: Pick<CachedResource<T>, 'find' | 'patch'>,
  object: T,
  change: (current: T) => object | undefined,
): Promise<void> =>
  patchOnConflict(
    { find: (key) => cache.find(key) },
    (key, patch) => cache.patch(key, patch),
    object,
    (current) => {
      const metadata = change(current);
      return metadata && { metadata };
    },
  );
