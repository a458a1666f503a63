import { Annotation } from '@flotilla/api-types';
import {
  type Clock,
  type Condition,
  findCondition,
  isAbsence,
  isDeleting,
  keyOf,
  type ResourceHandle,
} from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';

/** The server tries again on its own after short failures, so that this is for those that it has forgotten. */
const retryEveryMs = 10_000;

/** Reasons of the condition `Terminating` for an attempt that ended. */
const failedReasons: readonly (string | undefined)[] = ['InstanceDeletionFailed', 'InstanceDeletionCheck'];

/**
 * Makes the server delete the objects of a definition again after its attempt failed. kube-apiserver may miss its own retry: when that meets
 * a conflict, it waits for a change of the definition, and ignores the change that it made itself. It then does nothing for five minutes.
 * Any change of the metadata makes it try at once.
 */
export async function retryStalledCleanup(
  handle: Pick<ResourceHandle<KubeObject>, 'patch'>,
  object: KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } },
  clock: Pick<Clock, 'now'>,
): Promise<void> {
  const terminating = findCondition(object.status?.conditions, 'Terminating');
  if (!isDeleting(object) || !failedReasons.includes(terminating?.reason)) return;
  const retriedAt = Date.parse(object.metadata?.annotations?.[Annotation.CleanupRetriedAt] ?? '');
  // A clock that was set back must not put the next attempt off.
  if (Math.abs(clock.now() - retriedAt) < retryEveryMs) return;
  const annotations = { [Annotation.CleanupRetriedAt]: new Date(clock.now()).toISOString() };
  await handle.patch(keyOf(object), { type: 'merge', body: { metadata: { annotations } } }).catch((error: unknown) => {
    if (!isAbsence(error)) throw error;
  });
}
