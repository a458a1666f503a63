import {
  type AppliedManifestWork,
  ControllerName,
  Finalizer,
  type ManifestWork,
  ManifestWorkCondition,
} from '@flotilla/api-types';
import {
  addFinalizer,
  after,
  backoffMs,
  type CachedResource,
  type Controller,
  defineController,
  done,
  hasFinalizer,
  isConditionTrue,
  isDeleting,
  KubeError,
  keyOf,
  on,
  type Result,
  type StoreChange,
  semanticEqual,
} from '@flotilla/kube';
import { filter, map, mergeMap } from 'rxjs';
import { type AgentIdentity, appliedWorkName, sameResources, workNameOf } from '../applied-work/applied-work.policy.ts';
import { wordsOf } from '../apply/failure.ts';
import { ownerOf } from '../apply/ownership.ts';
import type { Executor } from '../executor/executor.ts';
import { executorKeyOf } from '../executor/subject.ts';
import { identityOf } from '../manifest.ts';
import { ReportedManifests } from '../status/reported-manifests.ts';
import { heldUpStatus, workStatus } from '../status/work-status.ts';
import { settleManifests } from './apply-work.ts';
import { finalizeWork } from './finalize-work.ts';
import { WorkMemories, type WorkMemory } from './memory.ts';
import type { Pass, PassDeps } from './pass.ts';
import { patchWorkStatus } from './patch-work-status.ts';
import { planOf } from './plan.ts';
import { nextLook, withRetryTimes } from './retry.policy.ts';
import { trackApplied } from './track-applied.ts';
import { upsertAppliedWork } from './upsert-applied-work.ts';

/** What applying works needs. */
export interface WorkControllerOptions extends PassDeps {
  readonly works: CachedResource<ManifestWork>;
  readonly appliedWorks: CachedResource<AppliedManifestWork>;
  readonly clusterName: string;
  readonly identity: AgentIdentity;
  /** Judges what the executors of works may do, and tells when that may have changed. */
  readonly executor: Executor;
  /** How often objects are read that may not be watched. */
  readonly pollMs: number;
  readonly random: () => number;
}

const holderPrefix = 'work ';

/** Applies works, keeps what they applied as they say, reports on it, and takes it away with them. */
export function workController(options: WorkControllerOptions): Controller {
  const { works, appliedWorks, tracker, kinds, writers, clusterName, identity, clock, random } = options;
  const memories = new WorkMemories();
  const kindsServed = kinds.wakes.pipe(
    filter((holder) => holder.startsWith(holderPrefix)),
    map((holder) => holder.slice(holderPrefix.length)),
  );
  const worksOf = (executorKey: string): string[] =>
    works.list().flatMap((work) => (executorKeyOf(work.spec?.executor) === executorKey ? [keyOf(work)] : []));

  /** What the agent itself wrote is no news. */
  const isNews = ({ type, key, object, previous }: StoreChange<ManifestWork>): boolean => {
    if (type !== 'updated' || !previous) return true;
    const isStatusOnly =
      object.metadata?.generation === previous.metadata?.generation &&
      object.metadata?.deletionTimestamp === previous.metadata?.deletionTimestamp &&
      semanticEqual(object.metadata?.labels, previous.metadata?.labels) &&
      hasFinalizer(object, Finalizer.ManifestWorkCleanup);
    return !isStatusOnly || !semanticEqual(object.status, memories.get(key)?.writtenStatus);
  };

  /** A record that the cache has, or had, is remembered no longer: it would be believed in after its end. */
  const isEndOfRecord = ({ type, object, previous }: StoreChange<AppliedManifestWork>): boolean => {
    const memory = memories.get(workKeyOf(object) ?? '');
    if (memory?.appliedWork?.metadata?.uid === object.metadata?.uid) delete memory?.appliedWork;
    return type === 'deleted' || (isDeleting(object) && !(previous && isDeleting(previous)));
  };
  const workKeyOf = ({ metadata }: AppliedManifestWork): string | undefined => {
    const name = workNameOf(identity.hubHash, metadata?.name ?? '');
    return name === undefined ? undefined : `${clusterName}/${name}`;
  };

  const forget = (key: string): void => {
    writers.release(holderPrefix + key, memories.get(key)?.records.keys() ?? []);
    memories.delete(key);
    tracker.keep(holderPrefix + key, []);
    kinds.release(holderPrefix + key);
  };

  const passOver = async (
    work: ManifestWork,
    key: string,
    memory: WorkMemory,
    signal: AbortSignal,
  ): Promise<Result> => {
    // The finalizer must be there before anything is applied; the record of it may be made meanwhile.
    const [held, appliedWork] = await Promise.all([
      hasFinalizer(work, Finalizer.ManifestWorkCleanup)
        ? work
        : addFinalizer(works, work, Finalizer.ManifestWorkCleanup, { signal }),
      upsertAppliedWork(appliedWorks, work, identity, memory, signal).catch(refusalOf),
    ]);
    // Deleted meanwhile: an event follows.
    if (!held || isDeleting(held)) return done;
    if (typeof appliedWork === 'string' || isDeleting(appliedWork)) {
      // The end of a record is an event; a refusal of one is none.
      const isRefused = typeof appliedWork === 'string';
      const why = isRefused ? appliedWork : 'what an earlier work of this name applied is still being removed';
      const status = heldUpStatus(held, why, clock.now());
      memory.writtenStatus = status;
      await patchWorkStatus(works, held, status, signal);
      return isRefused ? after(refusedMs, 'the managed cluster refuses the record of the work') : done;
    }

    const generation = held.metadata?.generation;
    if (memory.generation !== generation) {
      // What another generation waited for is waited for again if this one names it, too.
      kinds.release(holderPrefix + key);
      memory.plan = planOf(held);
      memory.generation = generation;
      memory.failures = 0;
    }
    const before = appliedWork.status?.appliedResources ?? [];
    const pass: Pass = {
      holder: holderPrefix + key,
      work: held,
      memory,
      owner: ownerOf(appliedWork),
      applied: new Set(before.map(identityOf)),
      reported: new ReportedManifests(held.status?.resourceStatus?.manifests),
      isFrozen: isConditionTrue(held.status?.conditions, ManifestWorkCondition.Complete),
      awaited: [],
      isWithdrawn: () => {
        const [workNow, recordNow] = [works.get(key), appliedWorks.get(keyOf(appliedWork))];
        const isSame = workNow?.metadata?.uid === held.metadata?.uid;
        return !workNow || !isSame || isDeleting(workNow) || (recordNow !== undefined && isDeleting(recordNow));
      },
      signal,
    };
    const settled = await settleManifests(options, pass);
    const retryMs = backoffMs(retry, memory.failures + 1, random());
    const results = withRetryTimes(settled, retryMs);
    const wanted = new Set(results.map(({ meta }) => identityOf(meta)));
    const unwanted = [...memory.records.keys()].filter((identity) => !wanted.has(identity));
    writers.release(pass.holder, unwanted);
    for (const identity of unwanted) memory.records.delete(identity);

    const tracked = results.length === 0 ? undefined : await trackApplied(options, pass, results, appliedWork);
    const followed = [
      ...[...memory.records.values()].map(({ target }) => target),
      ...(tracked?.pending ?? []),
      ...pass.awaited,
    ];
    tracker.keep(pass.holder, followed);

    const record = async (): Promise<void> => {
      if (!tracked || sameResources(tracked.resources, before)) return;
      await patchResources(appliedWork, tracked.resources, memory, signal);
    };
    if (pass.isWithdrawn()) {
      // What was applied until then must be listed, to be taken away; the event that told of the deletion follows.
      await record();
      return done;
    }
    const status = workStatus(held, { results, isFrozen: pass.isFrozen }, clock.now());
    memory.writtenStatus = status;
    await Promise.all([patchWorkStatus(works, held, status, signal), record()]);

    const isThawed = pass.isFrozen && !isConditionTrue(status.conditions, ManifestWorkCondition.Complete);
    if (isThawed) return after(0, 'the work is no longer complete');
    const isFollowed = followed.every((address) => tracker.isFollowing(address));
    const look = nextLook(results, {
      hasErrors: (tracked?.errors.length ?? 0) > 0,
      retryMs,
      isFollowed,
      pollMs: options.pollMs,
      random: random(),
    });
    memory.failures = look.isFailure ? memory.failures + 1 : 0;
    return after(look.ms, look.why);
  };

  const patchResources = async (
    appliedWork: AppliedManifestWork,
    appliedResources: NonNullable<AppliedManifestWork['status']>['appliedResources'],
    memory: WorkMemory,
    signal: AbortSignal,
  ): Promise<void> => {
    const { name = '', uid, resourceVersion } = appliedWork.metadata ?? {};
    const body = { metadata: { uid, resourceVersion }, status: { appliedResources } };
    const written = await appliedWorks.status.patch(name, { type: 'merge', body }, { signal });
    if (memory.appliedWork) memory.appliedWork = written;
  };

  return defineController({
    name: ControllerName.ManifestWork,
    watches: [
      on(works, undefined, isNews),
      on(appliedWorks, workKeyOf, isEndOfRecord),
      tracker.watchOf(holderPrefix),
      on(kindsServed),
      on(options.executor.changes$.pipe(mergeMap(worksOf))),
    ],
    backoff: outage,
    concurrency,
    async reconcile(key, { signal }) {
      const work = works.get(key);
      if (!work) {
        forget(key);
        return done;
      }
      const memory = memories.of(key, work.metadata?.uid);
      const name = appliedWorkName(identity.hubHash, work.metadata?.name ?? '');
      if (!isDeleting(work)) return passOver(work, key, memory, signal);
      // Its objects are for other works to have from now on.
      writers.release(holderPrefix + key, memory.records.keys());
      const appliedWork = appliedWorks.get(name) ?? memory.appliedWork;
      if (appliedWorks.has(name)) delete memory.appliedWork;
      if (await finalizeWork(work, appliedWork, { works, appliedWorks, clock, signal })) forget(key);
      return done;
    },
  });
}

/** After failures of manifests in a row. */
const retry = { baseMs: 100, maxMs: 300_000 };
/**
 * After passes that could not be finished: a hub or cluster that was away is noticed within the longest of these.
 * Another writer that was faster is told by its event, unless the watch is behind: that is not asked for again and again.
 */
const outage = { baseMs: 100, maxMs: 30_000 };
/** Works at a time. They wait for servers most of the time. */
const concurrency = 20;
/** A record that is refused for what it says will be refused again: rights may have been given meanwhile. */
const refusedMs = 60_000;

/** What the managed cluster says against the record of a work; other errors are for the next try. */
function refusalOf(error: unknown): string {
  if (!KubeError.is(error, 'Invalid') && !KubeError.is(error, 'Forbidden')) throw error;
  return `${wordsOf(error)}; tried again every minute`;
}
