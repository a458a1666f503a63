import { ControllerName, Finalizer, LogReason, type ManagedCluster } from '@flotilla/api-types';
import {
  addFinalizer,
  after,
  applyConditions,
  type CachedResource,
  type ConditionInput,
  type Controller,
  defineController,
  done,
  isAbsence,
  isConditionTrue,
  isDeleting,
  type KubeClient,
  KubeError,
  keyOf,
  on,
  type Result,
  removeFinalizer,
  type Watch,
} from '@flotilla/kube';
import { TimestampAges } from '@flotilla/kube/clock';
import { parseTime } from '@flotilla/kube/meta';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { foreignFinalizers, isRemovalForced } from '../../contract/index.ts';
import { when } from '../changes.ts';
import { byNamespace, type HubDeps, metadataByNamespace } from '../deps.ts';
import { firstInLine, type GracePeriod, gracePeriodOf, toDelete } from './cleanup.policy.ts';
import { cleaned, failed, remaining } from './cleanup.status.ts';

/** One kind whose objects are deleted, with a cache that reports their deletion. */
interface CleanedKind {
  readonly type: ResourceType;
  readonly cache: CachedResource<KubeObject>;
}

/** Where a kind cannot be watched, its objects are asked for this often. */
const unwatchedMs = 5000;

/** Wakes for each object of a kind. A kind that the server does not serve must not hold up the start: there is nothing of it. */
const wakeBy = ({ cache }: CleanedKind): Watch => ({
  ...on(cache, ({ metadata }) => metadata?.namespace),
  whenSynced: async () => {},
});

const isRelevant = when(
  ({ metadata }: ManagedCluster) => [metadata?.deletionTimestamp, metadata?.finalizers],
  isRemovalForced,
);

/** Whether a cluster was cleaned up before it was removed: nothing of it is left. */
const isCleaned = ({ status }: ManagedCluster): boolean => isConditionTrue(status?.conditions, cleaned.type);

/** Empties the namespace of a removed cluster: kind after kind, and within a kind by priority. */
export function cleanupController(deps: HubDeps): Controller {
  const { client, informers, clusters, clock, gates, options } = deps;
  const kinds = options.cleanup.map((type): CleanedKind => ({ type, cache: metadataByNamespace(informers, type) }));
  /** Clusters that were removed without their finalizers: their objects are left. A namespace that never was of a cluster is not touched. */
  const removed = new Set<string>();
  /** How long ago clusters were deleted: a clock that is set forward must not end the grace period of their agents. */
  const deletions = new TimestampAges(clock);
  const gracePeriodNow = (name: string, cluster: ManagedCluster): GracePeriod => {
    const deletedAt = parseTime(cluster.metadata?.deletionTimestamp) ?? clock.now();
    return gracePeriodOf(cluster, deletions.of(name, deletedAt), options.removalTimeoutMs);
  };

  const allWatched = (): boolean => kinds.every(({ cache }) => cache.synced);

  return defineController({
    name: ControllerName.GarbageCollector,
    watches: [
      on(clusters, undefined, (change) => {
        if (change.type === 'deleted' && gates.ResourceCleanup && !isCleaned(change.object)) removed.add(change.key);
        return isRelevant(change);
      }),
      ...kinds.map(wakeBy),
    ],
    async reconcile(name, { log }) {
      const cluster = clusters.get(name);
      if (cluster && !isDeleting(cluster)) {
        removed.delete(name);
        deletions.forget(name);
        if (gates.ResourceCleanup) await addFinalizer(clusters, cluster, Finalizer.ResourceCleanup);
        return done;
      }
      if (!cluster) deletions.forget(name);
      const gracePeriod = cluster ? gracePeriodNow(name, cluster) : { ended: false };
      if (!gates.ResourceCleanup) {
        // One from before the gate was closed must not hold the cluster for ever.
        if (cluster) await removeFinalizer(clusters, cluster, Finalizer.ResourceCleanup);
        if (!gracePeriod.ended) return done;
      }
      if (!cluster && !removed.has(name)) return done;
      if (cluster && !gracePeriod.ended && !cluster.metadata?.finalizers?.includes(Finalizer.ResourceCleanup))
        return done;
      let left: ConditionInput | undefined;
      try {
        left = await cleanUp(client, kinds, name, gracePeriod.ended);
      } catch (error) {
        log.warn('emptying the namespace failed', { reason: LogReason.ResourceCleanupFail, error });
        if (cluster) await applyConditions(clusters, cluster, [failed(error)], { clock, observedGeneration: false });
        throw error;
      }
      const updated =
        cluster &&
        (await applyConditions(clusters, cluster, [left ?? cleaned], { clock, observedGeneration: false })).object;
      if (left) return waiting(left, allWatched() ? gracePeriod.leftMs : unwatchedMs);
      if (updated) await removeFinalizer(clusters, updated, Finalizer.ResourceCleanup);
      removed.delete(name);
      log.info('the namespace is emptied', { reason: LogReason.ResourceCleanupCompleted });
      return done;
    },
  });
}

const waiting = ({ message }: ConditionInput, forMs: number | undefined): Result =>
  forMs === undefined ? done : after(forMs, message);

/** Deletes the next ones; says what is left, or undefined if nothing is. */
async function cleanUp(
  client: KubeClient,
  kinds: readonly CleanedKind[],
  namespace: string,
  isForced: boolean,
): Promise<ConditionInput | undefined> {
  // Mostly nothing is left, and then all must be asked: at once.
  const left = await Promise.all(kinds.map((kind) => itemsOf(client, kind, namespace)));
  for (const [at, kind] of kinds.entries()) {
    const items = left[at] ?? [];
    if (items.length === 0) continue;
    await deleteAll(kind, toDelete(items));
    if (isForced) await releaseFinalizers(kind, firstInLine(items));
    return remaining(kind.type.plural, items, isForced);
  }
  return undefined;
}

async function itemsOf(
  client: KubeClient,
  { type, cache }: CleanedKind,
  namespace: string,
): Promise<readonly KubeObject[]> {
  const known = cache.synced ? cache.byIndex(byNamespace, namespace) : [];
  if (known.length > 0) return known;
  try {
    // The server has the last word on emptiness.
    return (await client.metadata(type).list({ namespace })).items;
  } catch (error) {
    if (KubeError.is(error, 'NotFound')) return [];
    throw new Error(`failed to list resource ${type.plural}. err:${messageOf(error)}`, { cause: error });
  }
}

async function deleteAll({ type, cache }: CleanedKind, items: readonly KubeObject[]): Promise<void> {
  const answers = await Promise.allSettled(
    items.map((item) => cache.delete(keyOf(item), { preconditions: { uid: item.metadata?.uid } })),
  );
  throwFailures(`failed to clean up ${type.plural}`, answers);
}

/**
 * Releases objects that wait for an agent which is gone. Finalizers of others stay. Only what is known to be deleted is released:
 * no finalizer can be added to it any more, so that none is lost.
 */
async function releaseFinalizers({ type, cache }: CleanedKind, items: readonly KubeObject[]): Promise<void> {
  const held = items.filter(
    (item) => isDeleting(item) && (item.metadata?.finalizers?.length ?? 0) > foreignFinalizers(item).length,
  );
  const answers = await Promise.allSettled(
    held.map((item) => {
      const { uid, resourceVersion } = item.metadata ?? {};
      const metadata = { uid, resourceVersion, finalizers: foreignFinalizers(item) };
      return cache.patch(keyOf(item), { type: 'merge', body: { metadata } });
    }),
  );
  throwFailures(`failed to take the finalizers from ${type.plural}`, answers);
}

function throwFailures(what: string, answers: readonly PromiseSettledResult<unknown>[]): void {
  const errors = answers.flatMap((answer) =>
    answer.status === 'rejected' && !isAbsence(answer.reason) ? [answer.reason] : [],
  );
  if (errors.length === 0) return;
  throw new Error(`${what}. err:${errors.map(messageOf).sort().join(', ')}`, { cause: errors[0] });
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
