import {
  ControllerName,
  Finalizer,
  type KubeObject,
  LogReason,
  type ManagedCluster,
  type ResourceType,
} from '@flotilla/api-types';
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
  KubeError,
  keyOf,
  on,
  type Result,
  removeFinalizer,
  type Watch,
} from '@flotilla/kube';
import { isRemovalForced } from '../../contract/index.ts';
import { when } from '../changes.ts';
import { byNamespace, type HubDeps, metadataByNamespace } from '../deps.ts';
import { firstInLine, patienceWith, toDelete } from './cleanup.policy.ts';
import { cleaned, failed, remaining } from './cleanup.status.ts';

/** One kind to empty, with a cache that tells when objects of it go. */
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

/** Whether a cluster went in good order: there is nothing to look for after it. */
const isCleaned = ({ status }: ManagedCluster): boolean => isConditionTrue(status?.conditions, cleaned.type);

/** Empties the namespace of a removed cluster: kind after kind, and within a kind by priority. */
export function cleanupController(deps: HubDeps): Controller {
  const { client, informers, clusters, clock, gates, options } = deps;
  const kinds = options.cleanup.map((type): CleanedKind => ({ type, cache: metadataByNamespace(informers, type) }));
  /** Clusters that went while their finalizers did not hold: what an absent cluster left. A namespace that never was one is not ours. */
  const departed = new Set<string>();

  const itemsOf = async ({ type, cache }: CleanedKind, namespace: string): Promise<readonly KubeObject[]> => {
    const known = cache.synced ? cache.byIndex(byNamespace, namespace) : [];
    if (known.length > 0) return known;
    try {
      // The server has the last word on emptiness.
      return (await client.metadata(type).list({ namespace })).items;
    } catch (error) {
      if (KubeError.is(error, 'NotFound')) return [];
      throw new Error(`failed to list resource ${type.plural}. err:${messageOf(error)}`, { cause: error });
    }
  };

  const deleteAll = async ({ type, cache }: CleanedKind, items: readonly KubeObject[]): Promise<void> => {
    const answers = await Promise.allSettled(
      items.map((item) => cache.delete(keyOf(item), { preconditions: { uid: item.metadata?.uid } })),
    );
    throwFailures(`failed to clean up ${type.plural}`, answers);
  };

  /** Takes their finalizers from objects that wait for an agent which is gone. Those of the same name that came later are not meant. */
  const letGo = async ({ type, cache }: CleanedKind, items: readonly KubeObject[]): Promise<void> => {
    const held = items.filter(({ metadata }) => (metadata?.finalizers?.length ?? 0) > 0);
    const answers = await Promise.allSettled(
      held.map((item) => {
        const metadata = { uid: item.metadata?.uid, finalizers: null };
        return cache.patch(keyOf(item), { type: 'merge', body: { metadata } });
      }),
    );
    throwFailures(`failed to take the finalizers from ${type.plural}`, answers);
  };

  /** Tells the next ones to go; says what is left, or undefined if nothing is. */
  const cleanUp = async (namespace: string, isForced: boolean): Promise<ConditionInput | undefined> => {
    // Mostly nothing is left, and then all must be asked: at once.
    const left = await Promise.all(kinds.map((kind) => itemsOf(kind, namespace)));
    for (const [at, kind] of kinds.entries()) {
      const items = left[at] ?? [];
      if (items.length === 0) continue;
      await deleteAll(kind, toDelete(items));
      if (isForced) await letGo(kind, firstInLine(items));
      return remaining(kind.type.plural, items);
    }
    return undefined;
  };

  const allWatched = (): boolean => kinds.every(({ cache }) => cache.synced);

  return defineController({
    name: ControllerName.GarbageCollector,
    watches: [
      on(clusters, undefined, (change) => {
        if (change.type === 'deleted' && gates.ResourceCleanup && !isCleaned(change.object)) departed.add(change.key);
        return isRelevant(change);
      }),
      ...kinds.map(wakeBy),
    ],
    async reconcile(name, { log }) {
      const cluster = clusters.get(name);
      if (cluster && !isDeleting(cluster)) {
        departed.delete(name);
        if (gates.ResourceCleanup) await addFinalizer(clusters, cluster, Finalizer.ResourceCleanup);
        return done;
      }
      const patience = cluster ? patienceWith(cluster, clock.now(), options.removalTimeoutMs) : { ended: false };
      if (!gates.ResourceCleanup) {
        // One from before the gate was closed must not hold the cluster for ever.
        if (cluster) await removeFinalizer(clusters, cluster, Finalizer.ResourceCleanup);
        if (!patience.ended) return done;
      }
      if (!cluster && !departed.has(name)) return done;
      if (cluster && !patience.ended && !cluster.metadata?.finalizers?.includes(Finalizer.ResourceCleanup)) return done;
      let left: ConditionInput | undefined;
      try {
        left = await cleanUp(name, patience.ended);
      } catch (error) {
        log.warn('emptying the namespace failed', { reason: LogReason.ResourceCleanupFail, error });
        if (cluster) await applyConditions(clusters, cluster, [failed(error)], { clock });
        throw error;
      }
      const told = cluster && (await applyConditions(clusters, cluster, [left ?? cleaned], { clock })).object;
      if (left) return waiting(left, allWatched() ? patience.leftMs : unwatchedMs);
      if (told) await removeFinalizer(clusters, told, Finalizer.ResourceCleanup);
      departed.delete(name);
      log.info('the namespace is emptied', { reason: LogReason.ResourceCleanupCompleted });
      return done;
    },
  });
}

const waiting = ({ message }: ConditionInput, forMs: number | undefined): Result =>
  forMs === undefined ? done : after(forMs, message);

function throwFailures(what: string, answers: readonly PromiseSettledResult<unknown>[]): void {
  const errors = answers.flatMap((answer) =>
    answer.status === 'rejected' && !isAbsence(answer.reason) ? [answer.reason] : [],
  );
  if (errors.length === 0) return;
  throw new Error(`${what}. err:${errors.map(messageOf).sort().join(', ')}`, { cause: errors[0] });
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
