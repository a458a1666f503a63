import type { KubeObject } from '@flotilla/schema';
import { isAbsence } from '../errors/absence.ts';
import { keyOf } from '../meta/keys.ts';
import type { CallOptions, Patch, ResourceHandle } from './resource-handle.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

/** The calls that finalizer helpers make. */
export type FinalizerHandle<T extends KubeObject> = Pick<ResourceHandle<T>, 'find' | 'patch'>;

/** Whether an object waits for `finalizer` before it goes. */
export const hasFinalizer = (object: KubeObject, finalizer: string): boolean =>
  object.metadata?.finalizers?.includes(finalizer) ?? false;

/** Whether an object is on its way out. */
export const isDeleting = (object: KubeObject): boolean => object.metadata?.deletionTimestamp !== undefined;

/** The list is replaced as a whole, so the resource version guards what others added meanwhile. */
const finalizersPatch = (object: KubeObject, finalizers: readonly string[]): Patch => ({
  type: 'merge',
  body: { metadata: { resourceVersion: object.metadata?.resourceVersion, finalizers } },
});

/** The patch that adds `finalizer`; undefined if it is there, or if the object is deleting and the server would refuse it. */
function addFinalizerPatch(object: KubeObject, finalizer: string): Patch | undefined {
  if (hasFinalizer(object, finalizer) || isDeleting(object)) return undefined;
  return finalizersPatch(object, [...(object.metadata?.finalizers ?? []), finalizer]);
}

/** The patch that removes `finalizer`; undefined if it is not there. */
function removeFinalizerPatch(object: KubeObject, finalizer: string): Patch | undefined {
  if (!hasFinalizer(object, finalizer)) return undefined;
  const others = object.metadata?.finalizers?.filter((name) => name !== finalizer) ?? [];
  return finalizersPatch(object, others);
}

async function patchFinalizers<T extends KubeObject>(
  handle: FinalizerHandle<T>,
  object: T,
  patchFor: (object: T) => Patch | undefined,
  options: CallOptions | undefined,
): Promise<T | undefined> {
  const key = keyOf(object);
  let given: T | undefined = object;
  return retryOnConflict(async () => {
    const current = given ?? (await handle.find(key, options));
    given = undefined;
    if (!current || current.metadata?.uid !== object.metadata?.uid) return undefined;
    const patch = patchFor(current);
    if (!patch) return current;
    try {
      return await handle.patch(key, patch, options);
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw error;
    }
  });
}

/** Adds `finalizer` if it is missing and returns the newest object; undefined if the object is gone. */
export const addFinalizer = <T extends KubeObject>(
  handle: FinalizerHandle<T>,
  object: T,
  finalizer: string,
  options?: CallOptions,
): Promise<T | undefined> =>
  patchFinalizers(handle, object, (current) => addFinalizerPatch(current, finalizer), options);

/**
 * Removes `finalizer` if it is there and returns the newest object; undefined if the object is gone, also by this.
 * Whether it is there is decided from the given object: a stale one from a cache leaves it to the next reconcile.
 */
export const removeFinalizer = <T extends KubeObject>(
  handle: FinalizerHandle<T>,
  object: T,
  finalizer: string,
  options?: CallOptions,
): Promise<T | undefined> =>
  patchFinalizers(handle, object, (current) => removeFinalizerPatch(current, finalizer), options);
