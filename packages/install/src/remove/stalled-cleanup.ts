import { Annotation } from '@flotilla/api-types';
import { type Clock, type Condition, findCondition, isDeleting, keyOf, type ResourceHandle } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';

/** The server tries again on its own after short failures, so that this is for those that it has forgotten. */
const retryEveryMs = 10_000;

/**
 * Makes the server delete the objects of a definition again after it could not list them. kube-apiserver may miss its own retry: when that
 * meets a conflict, it waits for a change of the definition, and ignores the change that it made itself. It then does nothing for five
 * minutes. Any change of the metadata makes it try at once. Whoever may delete a definition need not be allowed to change it: the removal
 * then waits for the server.
 */
export async function retryStalledCleanup(
  handle: Pick<ResourceHandle<KubeObject>, 'patch'>,
  object: KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } },
  clock: Pick<Clock, 'now'>,
): Promise<void> {
  const terminating = findCondition(object.status?.conditions, 'Terminating');
  if (!isDeleting(object) || terminating?.reason !== 'InstanceDeletionFailed') return;
  const retriedAt = Date.parse(object.metadata?.annotations?.[Annotation.CleanupRetriedAt] ?? '');
  // A clock that was set back must not put the next attempt off.
  if (Math.abs(clock.now() - retriedAt) < retryEveryMs) return;
  const annotations = { [Annotation.CleanupRetriedAt]: new Date(clock.now()).toISOString() };
  await handle.patch(keyOf(object), { type: 'merge', body: { metadata: { annotations } } }).catch(() => undefined);
}
