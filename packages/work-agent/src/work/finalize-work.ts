import { type AppliedManifestWork, Finalizer, type ManifestWork } from '@flotilla/api-types';
import { type CachedResource, type Clock, hasFinalizer, isDeleting, keyOf, removeFinalizer } from '@flotilla/kube';
import { type AgentIdentity, adoptionOf } from '../applied-work/applied-work.policy.ts';
import { deletingStatus } from '../status/work-status.ts';
import { patchWorkStatus } from './patch-work-status.ts';

/** What finalizing a work needs. */
export interface FinalizeContext {
  readonly identity: AgentIdentity;
  readonly works: CachedResource<ManifestWork>;
  readonly appliedWorks: CachedResource<AppliedManifestWork>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Finalizes a deleted work: deletes what it applied, then, when that is gone, releases its finalizer. True when nothing is left to do. */
export async function finalizeWork(
  work: ManifestWork,
  records: readonly AppliedManifestWork[],
  context: FinalizeContext,
): Promise<boolean> {
  const { works, clock, signal } = context;
  if (!hasFinalizer(work, Finalizer.ManifestWorkCleanup)) return true;
  if (records.length === 0) {
    await removeFinalizer(works, work, Finalizer.ManifestWorkCleanup, { signal });
    return true;
  }
  await Promise.all([
    patchWorkStatus(works, work, deletingStatus(work, clock.now()), signal),
    ...records.map((record) => removeRecord(record, context)),
  ]);
  return false;
}

async function removeRecord(record: AppliedManifestWork, context: FinalizeContext): Promise<void> {
  const { appliedWorks, identity, signal } = context;
  const { uid } = record.metadata ?? {};
  // A record of another agent would be deleted and never finalized.
  const adoption = adoptionOf(record, identity);
  if (adoption) await appliedWorks.patch(keyOf(record), { type: 'merge', body: adoption }, { signal });
  if (isDeleting(record)) return;
  await appliedWorks.delete(keyOf(record), { signal, ...(uid && { preconditions: { uid } }) });
}
