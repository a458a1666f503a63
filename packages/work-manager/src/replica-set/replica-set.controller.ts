import {
  ControllerName,
  Finalizer,
  Label,
  type ManagedCluster,
  type ManifestWorkReplicaSet,
  managedClusters,
  manifestWorkReplicaSets,
  type PlacementDecision,
  placementDecisions,
  placements,
} from '@flotilla/api-types';
import {
  addFinalizer,
  after,
  type CachedResource,
  type Clock,
  type Controller,
  defineController,
  done,
  hasFinalizer,
  type Informers,
  isDeleting,
  joinKey,
  KubeError,
  keyOf,
  on,
  type Result,
  removeFinalizer,
  type Watch,
} from '@flotilla/kube';
import { RemovalHolds } from '@flotilla/placement/rollout';
import { deploy, isPaused } from './deploy.ts';
import { ownerKeyOf, ownerLabelOf } from './generated-work.ts';
import { GeneratedWorks } from './generated-works.ts';
import { invalidOwner } from './labels.validation.ts';
import { unreachableSince } from './lost-clusters.policy.ts';
import { OfGeneration } from './of-generation.ts';
import { invalidOwnerStatus, isSameStatus, replicaSetStatus } from './replica-set.status.ts';
import { templateOf } from './template.ts';
import { deleteWorks } from './work-writer.ts';

/** What it works with. */
export interface ReplicaSetInput {
  readonly informers: Informers;
  readonly clock: Clock;
}

const finalizer = Finalizer.ManifestWorkReplicaSetCleanup;

const placementKeyOf = ({ metadata }: PlacementDecision): string =>
  joinKey(metadata?.namespace, metadata?.labels?.[Label.Placement] ?? '');

/** Keeps a work on each cluster of the placements of a replica set, by its rollout strategies, and sums up how they are. */
export function replicaSetController({ informers, clock }: ReplicaSetInput): Controller {
  const works = new GeneratedWorks(informers, clock, Label.ManifestWorkReplicaSet);
  const { replicaSets, placementCache, decisions, clusters } = cachesOf(informers);
  const templates = new OfGeneration((replicaSet: ManifestWorkReplicaSet) => templateOf(replicaSet));
  const holds = new RemovalHolds(clock);
  const ownersOf = (placement: string): string[] => replicaSets.byIndex('placement', placement).map(keyOf);
  return defineController({
    name: ControllerName.ManifestWorkReplicaSet,
    isOptional: true,
    watches: [
      on(replicaSets),
      on(placementCache, (placement) => ownersOf(keyOf(placement))),
      on(decisions, (decision) => ownersOf(placementKeyOf(decision))),
      on(works.cache, ownerKeyOf),
      clusterWatch(clusters, works),
    ],
    async reconcile(key) {
      const replicaSet = replicaSets.get(key);
      if (!replicaSet || isDeleting(replicaSet)) {
        templates.forget(key);
        holds.forget(key);
      }
      if (!replicaSet) return done;
      const hasOwnFinalizer = hasFinalizer(replicaSet, finalizer);
      if (isDeleting(replicaSet)) {
        if (hasOwnFinalizer) await finalize(works, replicaSets, replicaSet);
        return done;
      }
      if (!hasOwnFinalizer) {
        await addFinalizer(replicaSets, replicaSet, finalizer);
        return done;
      }
      const { status } = replicaSet;
      const invalid = invalidOwner(ownerLabelOf(replicaSet));
      if (invalid) {
        await writeStatus(replicaSets, replicaSet, invalidOwnerStatus(status, invalid, clock.now()));
        return done;
      }
      const keyFor = (name: string) => joinKey(replicaSet.metadata?.namespace, name);
      const { outcome, errors, recheckAfterMs } = await deploy({
        works,
        replicaSet,
        key,
        template: templates.of(key, replicaSet),
        placementOf: ({ name }) => placementCache.get(keyFor(name)),
        decisionsOf: ({ name }) => decisions.byIndex('placement', keyFor(name)),
        unreachableSince: (cluster) => unreachableSince(clusters.get(cluster)),
        isPaused: isPaused(replicaSet),
        now: clock.now(),
      });
      const isHeld = outcome.placements.some(({ held }) => held !== undefined);
      const reportAfterMs = holds.reportAfterMs(key, isHeld);
      const next = replicaSetStatus(status, outcome, { now: clock.now(), reportsHolds: reportAfterMs === 0 });
      await writeStatus(replicaSets, replicaSet, next);
      if (errors.length > 0) throw errors[0];
      return afterFirst(recheckAfterMs, works.awaitedMs(key), reportAfterMs || undefined);
    },
  });
}

/** Time alone changes what is to be done. */
function afterFirst(...waits: readonly (number | undefined)[]): Result {
  const left = waits.filter((ms) => ms !== undefined);
  return left.length > 0 ? after(Math.min(...left), 'a soak time, a deadline or a write ends') : done;
}

const cachesOf = (informers: Informers) => ({
  replicaSets: informers.resource(manifestWorkReplicaSets, {
    indexes: {
      placement: ({ metadata, spec }) =>
        (spec?.placementRefs ?? []).map(({ name }) => joinKey(metadata?.namespace, name)),
    },
  }),
  placementCache: informers.resource(placements),
  decisions: informers.resource(placementDecisions, {
    indexes: { placement: (decision) => [placementKeyOf(decision)] },
  }),
  clusters: informers.resource(managedClusters),
});

/** How long ManagedClusters cannot be read before replica sets do without them. They are still watched when they can be read later. */
const believedAfterMs = 10_000;
/** Errors that say that they cannot be read; others pass. */
const unreadable = ['NotFound', 'Forbidden'] as const;

/** Wakes the replica sets with works on a cluster that is lost or back. */
const clusterWatch = (clusters: CachedResource<ManagedCluster>, works: GeneratedWorks): Watch => ({
  ...on(
    clusters,
    ({ metadata }) => works.ownersOn(metadata?.name ?? ''),
    ({ object, previous }) => unreachableSince(object) !== unreachableSince(previous),
  ),
  // A cluster that was lost counts as failed from the first reconcile on. But the work manager of OCM has no right to read clusters,
  // and a program in its place must do without. A server that starts gives the same errors for a moment, and without clusters a rollout
  // would go on.
  async whenSynced({ signal, timeoutMs }) {
    const wait = (limitMs?: number) =>
      clusters.whenSynced({ signal, timeoutMs: limitMs, endsOn: unreadable, endsAfterMs: believedAfterMs });
    try {
      await wait(timeoutMs).catch((error: unknown) => {
        if (!KubeError.is(error, 'Timeout') || !KubeError.is(clusters.lastError, ...unreadable)) throw error;
        // Not reported: replica sets do without clusters soon.
        return wait();
      });
    } catch (error) {
      if (!KubeError.is(error, ...unreadable)) throw error;
    }
  },
});

async function finalize(
  works: GeneratedWorks,
  replicaSets: CachedResource<ManifestWorkReplicaSet>,
  replicaSet: ManifestWorkReplicaSet,
): Promise<void> {
  const left = works.of(keyOf(replicaSet));
  await deleteWorks(
    works,
    left.filter((work) => !isDeleting(work)),
  );
  if (replicaSet.spec?.cascadeDeletionPolicy === 'Foreground' && left.length > 0) return;
  await removeFinalizer(replicaSets, replicaSet, finalizer);
}

async function writeStatus(
  replicaSets: CachedResource<ManifestWorkReplicaSet>,
  replicaSet: ManifestWorkReplicaSet,
  status: ManifestWorkReplicaSet['status'],
): Promise<void> {
  if (isSameStatus(replicaSet.status, status)) return;
  const { uid, resourceVersion } = replicaSet.metadata ?? {};
  const body = { metadata: { uid, resourceVersion }, status };
  await replicaSets.status.patch(keyOf(replicaSet), { type: 'merge', body });
}
