import type { ManagedCluster } from '@flotilla/api-types';
import { isAbsence, keyOf, type Patch, type ResourceHandle, retryOnConflict, type StoreChange } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import type { Condition, KubeObject } from '@flotilla/schema';

/** Passes additions, deletions, and those updates after which `pick` gives something else: a controller wakes only for what it reads. */
export const when =
  <T extends KubeObject>(...picks: readonly ((object: T) => unknown)[]) =>
  (change: StoreChange<T>): boolean =>
    change.type !== 'updated' || picks.some((pick) => !semanticEqual(pick(change.object), pick(change.previous)));

/** Labels of an object. */
export const labelsOf = ({ metadata }: KubeObject): unknown => metadata?.labels;

/** Whether an object is on its way out. */
export const deletionOf = ({ metadata }: KubeObject): unknown => metadata?.deletionTimestamp;

/** One condition of a cluster. */
export const conditionOf =
  (type: string) =>
  ({ status }: ManagedCluster): Condition | undefined =>
    status?.conditions?.find((condition) => condition.type === type);

/**
 * Patches what `patchFor` wants of the newest object: on a conflict it is read and asked again. Several controllers write to one
 * ManagedCluster while it joins, and none shall wait for a back-off because of another. Undefined if nothing was written.
 */
export async function patchOnConflict<T extends KubeObject>(
  handle: Pick<ResourceHandle<T>, 'find'>,
  write: (key: string, patch: Patch) => Promise<T>,
  object: T,
  patchFor: (object: T) => object | undefined,
): Promise<T | undefined> {
  const key = keyOf(object);
  let given: T | undefined = object;
  return retryOnConflict(async () => {
    const current = given ?? (await handle.find(key));
    given = undefined;
    const wanted = current?.metadata?.uid === object.metadata?.uid && current && patchFor(current);
    if (!wanted) return undefined;
    const metadata = { resourceVersion: current.metadata?.resourceVersion };
    try {
      return await write(key, { type: 'merge', body: { metadata, ...wanted } });
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw error;
    }
  });
}
