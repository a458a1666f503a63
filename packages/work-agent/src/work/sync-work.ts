import {
  type AppliedManifestWork,
  Finalizer,
  isReadinessReported,
  type ManifestWork,
  ManifestWorkCondition,
} from '@flotilla/api-types';
import {
  addFinalizer,
  after,
  type CachedResource,
  done,
  hasFinalizer,
  isConditionTrue,
  isDeleting,
  KubeError,
  keyOf,
  type Result,
} from '@flotilla/kube';
import { backoffMs } from '@flotilla/kube/clock';
import { type AgentIdentity, sameResources } from '../applied-work/applied-work.policy.ts';
import { errorMessageOf } from '../apply/failure.ts';
import { ownerOf } from '../apply/ownership.ts';
import { reportedWriter } from '../conflicts/reported-writer.ts';
import { identityOf } from '../manifest.ts';
import type { ManifestResult } from '../status/manifest-status.ts';
import { isObservationOnly, shortestPauseMs } from '../status/report-pace.ts';
import { ReportedManifests } from '../status/reported-manifests.ts';
import { heldUpStatus, workStatus } from '../status/work-status.ts';
import type { ObjectAddress } from '../watch/object-tracker.ts';
import { holderOf, isAppliedByAnotherWork } from './holder.ts';
import { failureOfOutcome } from './outcome.ts';
import { patchWorkStatus } from './patch-work-status.ts';
import { planOf } from './plan.ts';
import { nextSync, retry } from './retry.policy.ts';
import type { SyncDeps, WorkSync } from './sync.ts';
import { syncManifests } from './sync-manifests.ts';
import { type TrackedResources, trackApplied } from './track-applied.ts';
import { upsertAppliedWork } from './upsert-applied-work.ts';
import type { WorkMemories, WorkMemory } from './work-memory.ts';

/** What the sync of a work needs. */
export interface SyncWorkDeps extends SyncDeps {
  readonly works: CachedResource<ManifestWork>;
  readonly appliedWorks: CachedResource<AppliedManifestWork>;
  readonly identity: AgentIdentity;
  readonly memories: WorkMemories;
  /** How often objects are read that cannot be watched. */
  readonly pollMs: number;
}

/** An AppliedManifestWork that is refused for what is in it will be refused again, unless rights are granted meanwhile. */
const refusedMs = 60_000;

/** Applies a work that is not being deleted, and reports on it. Only the three steps of this file change its memory. */
export async function syncWork(
  deps: SyncWorkDeps,
  work: ManifestWork,
  memory: WorkMemory,
  signal: AbortSignal,
): Promise<Result> {
  const prepared = await prepare(deps, work, memory, signal);
  if ('result' in prepared) return prepared.result;
  const applied = await apply(deps, prepared, memory);
  return report(deps, prepared, applied, memory);
}

interface Prepared {
  readonly sync: WorkSync;
  readonly appliedWork: AppliedManifestWork;
}

/** Makes sure that the work has its finalizer and its AppliedManifestWork, and that its manifests are parsed. */
async function prepare(
  deps: SyncWorkDeps,
  work: ManifestWork,
  memory: WorkMemory,
  signal: AbortSignal,
): Promise<Prepared | { readonly result: Result }> {
  const { works, appliedWorks, identity, clock, kinds } = deps;
  const ensureAppliedWork = async (): Promise<AppliedManifestWork> => {
    const { appliedWork, isNew } = await upsertAppliedWork(appliedWorks, work, identity, memory.appliedWork, signal);
    if (isNew) memory.appliedWork = appliedWork;
    else delete memory.appliedWork;
    return appliedWork;
  };
  // The finalizer must be there before anything is applied; the AppliedManifestWork may be created meanwhile.
  const [held, appliedWork] = await Promise.all([
    hasFinalizer(work, Finalizer.ManifestWorkCleanup)
      ? work
      : addFinalizer(works, work, Finalizer.ManifestWorkCleanup, { signal }),
    ensureAppliedWork().catch(refusalOf),
  ]);
  if (!held) await deleteUnused(appliedWorks, appliedWork, signal);
  // Deleted during the sync: an event follows.
  if (!held || isDeleting(held)) return { result: done };
  if (typeof appliedWork === 'string' || isDeleting(appliedWork)) {
    // An event follows the end of an AppliedManifestWork, and none follows a refusal.
    const isRefused = typeof appliedWork === 'string';
    const why = isRefused ? appliedWork : 'what an earlier work of this name applied is still being removed';
    const status = heldUpStatus(held, why, clock.now());
    memory.writtenStatus = status;
    await patchWorkStatus(works, held, status, signal);
    return { result: isRefused ? after(refusedMs, 'the managed cluster refuses the AppliedManifestWork') : done };
  }
  const generation = held.metadata?.generation;
  if (memory.generation !== generation) {
    // If this generation names the kinds that an earlier one waited for, it waits for them again.
    kinds.release(holderOf(keyOf(held)));
    Object.assign(memory, { plan: planOf(held), generation, failures: 0, retryAt: undefined });
  }
  return { sync: workSyncOf(deps, held, appliedWork, memory, signal), appliedWork };
}

/** Deletes the AppliedManifestWork of a work that was gone before anything was applied: no other event would lead to it. */
async function deleteUnused(
  appliedWorks: CachedResource<AppliedManifestWork>,
  appliedWork: AppliedManifestWork | string,
  signal: AbortSignal,
): Promise<void> {
  if (typeof appliedWork === 'string' || appliedWork.status?.appliedResources?.length) return;
  const { uid } = appliedWork.metadata ?? {};
  await appliedWorks.delete(keyOf(appliedWork), { signal, ...(uid && { preconditions: { uid } }) });
}

function workSyncOf(
  { works, appliedWorks, memories, tracker, rules, clock, random }: SyncWorkDeps,
  work: ManifestWork,
  appliedWork: AppliedManifestWork,
  memory: WorkMemory,
  signal: AbortSignal,
): WorkSync {
  const key = keyOf(work);
  const holder = holderOf(key);
  return {
    holder,
    work,
    plan: memory.plan,
    objects: memory.objects,
    owner: ownerOf(appliedWork),
    applied: new Set((appliedWork.status?.appliedResources ?? []).map(identityOf)),
    reported: new ReportedManifests(work.status?.resourceStatus?.manifests),
    isFrozen: isConditionTrue(work.status?.conditions, ManifestWorkCondition.Complete),
    reportsReadiness: isReadinessReported(work),
    isAppliedByAnotherWork: (resolved) => isAppliedByAnotherWork(resolved, holder, { tracker, memories }),
    reportedWriter({ meta }) {
      const writer = reportedWriter(works.list(), work, meta, rules);
      return writer && holderOf(keyOf(writer));
    },
    retryMs: Math.max(0, (memory.retryAt ?? 0) - clock.monotonic()) || backoffMs(retry, memory.failures + 1, random()),
    isDeleted() {
      const [workNow, appliedWorkNow] = [works.get(key), appliedWorks.get(keyOf(appliedWork))];
      const isSame = workNow?.metadata?.uid === work.metadata?.uid;
      return !workNow || !isSame || isDeleting(workNow) || (appliedWorkNow !== undefined && isDeleting(appliedWorkNow));
    },
    signal,
  };
}

interface Applied {
  readonly results: readonly ManifestResult[];
  /** Undefined if the work has no manifests. */
  readonly tracked: TrackedResources | undefined;
  /** The objects that the work depends on. */
  readonly followed: readonly ObjectAddress[];
  /** Until the next tries of what failed. */
  readonly retriesMs: readonly number[];
}

/** Applies or observes the manifests, and deletes what they do not name any more. */
async function apply(deps: SyncWorkDeps, { sync, appliedWork }: Prepared, memory: WorkMemory): Promise<Applied> {
  const { tracker, writers, clock } = deps;
  const synced = await syncManifests(deps, sync, (identity, state) => memory.objects.set(identity, state));
  const results = synced.map(({ result }) => result);
  const named = new Set(results.map(({ meta }) => identityOf(meta)));
  const unnamed = [...memory.objects.keys()].filter((identity) => !named.has(identity));
  writers.release(sync.holder, unnamed);
  for (const identity of unnamed) memory.objects.delete(identity);

  const tracked =
    results.length === 0 ? undefined : await trackApplied(deps, sync, results, appliedWork, memory.requestedDeletions);
  if (tracked) memory.requestedDeletions = tracked.requestedDeletions;
  const states = [...memory.objects.values()].flatMap(({ target, outcome }) => {
    const awaits = failureOfOutcome(outcome)?.awaits;
    return awaits ? [target, awaits] : [target];
  });
  const followed = [...states, ...(tracked?.pending ?? [])];
  tracker.keep(sync.holder, followed);
  const hasErrors = (tracked?.errors.length ?? 0) > 0;
  const isRetried = hasErrors || synced.some(({ state, retryMs }) => !state && retryMs !== undefined);
  recordRetry(memory, isRetried ? sync.retryMs : undefined, clock.monotonic());
  const retriesMs = synced.flatMap(({ retryMs }) => retryMs ?? []);
  return { results, tracked, followed, retriesMs: hasErrors ? [...retriesMs, sync.retryMs] : retriesMs };
}

/** Counts failures of tries that were due: a sync for another reason makes the next one neither later nor sooner. */
function recordRetry(memory: WorkMemory, retryMs: number | undefined, now: number): void {
  if (retryMs === undefined) {
    memory.failures = 0;
    delete memory.retryAt;
  } else if (memory.retryAt === undefined || memory.retryAt <= now) {
    memory.failures += 1;
    memory.retryAt = now + retryMs;
  }
}

/** Writes the status of the work and of its AppliedManifestWork, as far as they changed. */
async function report(
  deps: SyncWorkDeps,
  { sync, appliedWork }: Prepared,
  { results, tracked, followed, retriesMs }: Applied,
  memory: WorkMemory,
): Promise<Result> {
  const { works, clock, tracker, pollMs, random } = deps;
  const { work, isFrozen, signal } = sync;
  const recordResources = () => patchAppliedResources(deps, appliedWork, tracked, memory, signal);
  if (sync.isDeleted()) {
    // What was applied until then must be recorded, to be deleted; the event of the deletion follows.
    await recordResources();
    return done;
  }
  const status = workStatus(work, { results, isFrozen }, clock.now());
  const isObservation = isObservationOnly(work.status, status);
  const pauseMs = isObservation ? pauseBeforeReport(memory, clock.monotonic()) : 0;
  if (pauseMs > 0) {
    await recordResources();
    return after(pauseMs, 'what rules observe was reported a moment ago');
  }
  if (isObservation) memory.observedAt = clock.monotonic();
  memory.writtenStatus = status;
  await Promise.all([patchWorkStatus(works, work, status, signal), recordResources()]);

  const isThawed = isFrozen && !isConditionTrue(status.conditions, ManifestWorkCondition.Complete);
  if (isThawed) return after(0, 'the work is no longer complete');
  const next = nextSync({
    retriesMs,
    isFollowed: followed.every((address) => tracker.isFollowing(address)),
    pollMs,
    random: random(),
  });
  return after(next.ms, next.why);
}

/** How long a status waits in which only observations changed: an object may change many times a second. */
const pauseBeforeReport = ({ observedAt }: WorkMemory, now: number): number =>
  observedAt === undefined ? 0 : Math.max(observedAt + shortestPauseMs - now, 0);

async function patchAppliedResources(
  { appliedWorks }: SyncWorkDeps,
  appliedWork: AppliedManifestWork,
  tracked: TrackedResources | undefined,
  memory: WorkMemory,
  signal: AbortSignal,
): Promise<void> {
  if (!tracked || sameResources(tracked.resources, appliedWork.status?.appliedResources ?? [])) return;
  const { name = '', uid, resourceVersion } = appliedWork.metadata ?? {};
  const body = { metadata: { uid, resourceVersion }, status: { appliedResources: tracked.resources } };
  const written = await appliedWorks.status.patch(name, { type: 'merge', body }, { signal });
  if (memory.appliedWork) memory.appliedWork = written;
}

/** Why the managed cluster refuses an AppliedManifestWork; other errors are thrown, to be tried again. */
function refusalOf(error: unknown): string {
  if (!KubeError.is(error, 'Invalid') && !KubeError.is(error, 'Forbidden')) throw error;
  return `${errorMessageOf(error)}; tried again every minute`;
}
