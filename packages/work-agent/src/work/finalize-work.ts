import { type AppliedManifestWork, Finalizer, type ManifestWork } from '@flotilla/api-types';
import { type CachedResource, type Clock, hasFinalizer, isDeleting, keyOf, removeFinalizer } from '@flotilla/kube';
import { deletingStatus } from '../status/work-status.ts';
import { patchWorkStatus } from './patch-work-status.ts';

/** Takes a deleted work away: first what it applied, then, when that is gone, the work itself. True when nothing is left to do. */
export async function finalizeWork(
  work: ManifestWork,
  appliedWork: AppliedManifestWork | undefined,
  {
    works,
    appliedWorks,
    clock,
    signal,
  }: {
    readonly works: CachedResource<ManifestWork>;
    readonly appliedWorks: CachedResource<AppliedManifestWork>;
    readonly clock: Clock;
    readonly signal: AbortSignal;
  },
): Promise<boolean> {
  if (!hasFinalizer(work, Finalizer.ManifestWorkCleanup)) return true;
  if (!appliedWork) {
    await removeFinalizer(works, work, Finalizer.ManifestWorkCleanup, { signal });
    return true;
  }
  const { uid } = appliedWork.metadata ?? {};
  await Promise.all([
    patchWorkStatus(works, work, deletingStatus(work, clock.now()), signal),
    isDeleting(appliedWork)
      ? undefined
      : appliedWorks.delete(keyOf(appliedWork), { signal, ...(uid && { preconditions: { uid } }) }),
  ]);
  return false;
}
