import { type CachedResource, isAbsence, keyOf, retryOnConflict } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';

/** Any kind with a status. */
interface StatusObject extends KubeObject {
  status?: object;
}

/**
 * Writes what `change` wants of a status, and nothing if it wants nothing. Several controllers, in several processes, write to the status of one
 * add-on: on a conflict the object is read and `change` is asked again. An object that is gone, or another of its name, is left alone.
 */
export async function writeStatus<T extends StatusObject>(
  cache: Pick<CachedResource<T>, 'find' | 'status'>,
  object: T,
  change: (current: T) => Partial<NonNullable<T['status']>> | undefined,
): Promise<void> {
  const key = keyOf(object);
  let given: T | undefined = object;
  await retryOnConflict(async () => {
    const current = given ?? (await cache.find(key));
    given = undefined;
    if (!current || current.metadata?.uid !== object.metadata?.uid) return;
    const status = change(current);
    if (!status) return;
    const { uid, resourceVersion } = current.metadata ?? {};
    try {
      await cache.status.patch(key, { type: 'merge', body: { metadata: { uid, resourceVersion }, status } });
    } catch (error) {
      if (!isAbsence(error)) throw error;
    }
  });
}
