import { FieldManager } from '@flotilla/api-types';
import { type Clock, KubeError, type ObjectKey, type ResourceHandle, retryOnConflict } from '@flotilla/kube';
import type { OwnerReference } from '@flotilla/schema';
import type { IgnoreFields } from '../ignore-fields/ignore-fields.ts';
import type { Manifest } from '../manifest.ts';

/** One manifest on its way to the cluster. */
export interface ApplyRequest {
  readonly required: Manifest;
  readonly key: ObjectKey;
  /** Our reference, or its removal. */
  readonly owner: OwnerReference;
  readonly handle: ResourceHandle<Manifest>;
  /** The kind was established a few seconds ago: see `createObject`. */
  readonly isNewKind: boolean;
  /** Nothing is known of the object, and most likely it does not exist: creating it comes first. */
  readonly isNew: boolean;
  /** The very same manifest was applied before: by this agent, by another one, or for another work. */
  readonly wasApplied: boolean;
  /** Throws if a change of the live object must not be undone. */
  readonly beforeRepair: (live: Manifest) => void;
  /** Throws if the object must not be deleted to be created again. */
  readonly beforeDelete: () => Promise<void>;
  readonly ignoreFields: IgnoreFields;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What came of it. */
export interface ApplyAnswer {
  /** As the server has it now; undefined if it does not exist and need not. */
  readonly object: Manifest | undefined;
  /** Whether the object was changed. */
  readonly wrote: boolean;
}

/** What creating takes. */
type Creation = Pick<ApplyRequest, 'handle' | 'key' | 'isNewKind' | 'signal'>;

/**
 * Creates the object. An API server delays a POST of a kind that was established less than two seconds ago by two seconds, for
 * the sake of other API servers; it answers an apply at once.
 */
export async function createObject({ handle, key, isNewKind, signal }: Creation, object: Manifest): Promise<Manifest> {
  if (!isNewKind || (await handle.find(key, { signal }))) return handle.create(object, { signal });
  return handle.apply(object, { fieldManager: FieldManager.WorkAgent, signal });
}

/** Creates the object; undefined if there is one of that name. */
export async function createIfAbsent(creation: Creation, object: Manifest): Promise<Manifest | undefined> {
  try {
    return await createObject(creation, object);
  } catch (error) {
    if (KubeError.is(error, 'AlreadyExists')) return undefined;
    throw error;
  }
}

/** Waits between tries after a conflict; then the whole work is tried again later. */
const conflictPauses = [10, 50, 250];

/** Tries again what another writer came before. */
export const retryConflicts = <T>(
  { clock, signal }: Pick<ApplyRequest, 'clock' | 'signal'>,
  attempt: () => Promise<T>,
): Promise<T> =>
  retryOnConflict(attempt, {
    attempts: conflictPauses.length + 1,
    pause: (failures) => clock.sleep(conflictPauses[failures - 1] ?? 0, signal),
  });
