import { type AppliedManifestWork, ControllerName, Finalizer, type ManifestWork } from '@flotilla/api-types';
import {
  type Controller,
  defineController,
  done,
  hasFinalizer,
  isDeleting,
  keyOf,
  on,
  type Result,
  type StoreChange,
} from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import { filter, map, mergeMap } from 'rxjs';
import { appliedWorkName, formerNames, workNameOf } from '../applied-work/applied-work.policy.ts';
import type { Executor } from '../executor/executor.ts';
import { executorKeyOf } from '../executor/subject.ts';
import { appliedBefore } from './applied-before.ts';
import { finalizeWork } from './finalize-work.ts';
import { holderOf, holderPrefix } from './holder.ts';
import { type SyncWorkDeps, syncWork } from './sync-work.ts';
import { WorkMemories, type WorkMemory } from './work-memory.ts';

/** What applying works needs. */
export interface WorkControllerOptions extends Omit<SyncWorkDeps, 'memories'> {
  readonly clusterName: string;
  /** Decides what the executors of works are allowed to do, and notifies when that may have changed. */
  readonly executor: Executor;
}

/**
 * After syncs that could not be finished: a hub or cluster that was away is noticed within the longest of these. When another writer
 * was faster its event follows, unless the watch is behind: the back-off keeps the agent from asking again and again.
 */
const outage = { baseMs: 100, maxMs: 30_000 };
/** Works at a time. They wait for servers most of the time. */
const concurrency = 20;

/** Applies works, keeps what they applied as they say, reports on it, and deletes it with them. */
export function workController(options: WorkControllerOptions): Controller {
  const { works, appliedWorks, tracker, firstReads, kinds, writers, identity } = options;
  const memories = new WorkMemories();
  const deps: SyncWorkDeps = { ...options, memories };
  const kindsServed = kinds.wakes.pipe(
    filter((holder) => holder.startsWith(holderPrefix)),
    map((holder) => holder.slice(holderPrefix.length)),
  );
  const worksOf = (executorKey: string): string[] =>
    works.list().flatMap((work) => (executorKeyOf(work.spec?.executor) === executorKey ? [keyOf(work)] : []));

  /** Whether an AppliedManifestWork ends. One that the cache has, or had, is forgotten: it would be trusted after its end. */
  const isEndOfAppliedWork = ({ type, object, previous }: StoreChange<AppliedManifestWork>): boolean => {
    const memory = memories.get(workKeyOf(options, object) ?? '');
    if (memory?.appliedWork?.metadata?.uid === object.metadata?.uid) delete memory?.appliedWork;
    return type === 'deleted' || (isDeleting(object) && !(previous && isDeleting(previous)));
  };
  const forget = (key: string): void => {
    writers.release(holderOf(key), memories.get(key)?.objects.keys() ?? []);
    memories.delete(key);
    tracker.keep(holderOf(key), []);
    kinds.release(holderOf(key));
  };

  const reconcile = async (key: string, signal: AbortSignal): Promise<Result> => {
    const work = works.get(key);
    if (!work) {
      forget(key);
      return done;
    }
    const memory = memories.of(key, work.metadata?.uid);
    if (!isDeleting(work)) return syncWork(deps, work, memory, signal);
    if (await finalize(options, work, memory, signal)) forget(key);
    return done;
  };

  let hasStarted = false;
  return defineController({
    name: ControllerName.ManifestWork,
    watches: [
      on(works, undefined, (change) => isChange(change, memories)),
      on(appliedWorks, (appliedWork) => workKeyOf(options, appliedWork), isEndOfAppliedWork),
      tracker.watchOf(holderPrefix),
      on(kindsServed),
      on(options.executor.changes$.pipe(mergeMap(worksOf))),
    ],
    backoff: outage,
    concurrency,
    async reconcile(key, { signal }) {
      if (!hasStarted) {
        firstReads.expect(appliedBefore(works, appliedWorks, identity.hubHash, (work) => holderOf(keyOf(work))));
      }
      hasStarted = true;
      return reconcile(key, signal).finally(() => firstReads.release(holderOf(key)));
    },
  });
}

/** Whether a change is more than the status that the agent itself wrote. */
function isChange(
  { type, key, object, previous }: StoreChange<ManifestWork>,
  memories: Pick<WorkMemories, 'get'>,
): boolean {
  if (type !== 'updated' || !previous) return true;
  const isStatusOnly =
    object.metadata?.generation === previous.metadata?.generation &&
    object.metadata?.deletionTimestamp === previous.metadata?.deletionTimestamp &&
    semanticEqual(object.metadata?.labels, previous.metadata?.labels) &&
    hasFinalizer(object, Finalizer.ManifestWorkCleanup);
  return !isStatusOnly || !semanticEqual(object.status, memories.get(key)?.writtenStatus);
}

/** The key of the work that an AppliedManifestWork is the record of. */
function workKeyOf(
  { identity, clusterName }: Pick<WorkControllerOptions, 'identity' | 'clusterName'>,
  { metadata }: AppliedManifestWork,
): string | undefined {
  const hashes = [identity.hubHash, ...identity.formerHubHashes];
  const name = hashes.map((hash) => workNameOf(hash, metadata?.name ?? '')).find((each) => each !== undefined);
  return name === undefined ? undefined : `${clusterName}/${name}`;
}

/** Deletes what a work applied; whether nothing is left to do. */
async function finalize(
  { works, appliedWorks, writers, identity, clock }: WorkControllerOptions,
  work: ManifestWork,
  memory: WorkMemory,
  signal: AbortSignal,
): Promise<boolean> {
  const name = appliedWorkName(identity.hubHash, work.metadata?.name ?? '');
  // From now on other works may apply its objects.
  writers.release(holderOf(keyOf(work)), memory.objects.keys());
  const former = formerNames(identity, work.metadata?.name ?? '').map((each) => appliedWorks.get(each));
  const records = [appliedWorks.get(name) ?? memory.appliedWork, ...former].filter((each) => each !== undefined);
  if (appliedWorks.has(name)) delete memory.appliedWork;
  return finalizeWork(work, records, { works, appliedWorks, identity, clock, signal });
}
