import {
  ControllerName,
  Finalizer,
  Label,
  type ManagedCluster,
  ManagedClusterCondition,
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
  findCondition,
  hasFinalizer,
  type Informers,
  isDeleting,
  joinKey,
  keyOf,
  on,
  removeFinalizer,
  type Watch,
} from '@flotilla/kube';
import { deploy, isPaused } from './deploy.ts';
import { ownerKeyOf, ownerLabelOf } from './generated-work.ts';
import { GeneratedWorks } from './generated-works.ts';
import { invalidOwner } from './labels.validation.ts';
import { invalidOwnerStatus, isSameStatus, replicaSetStatus } from './replica-set.status.ts';
import { type Template, templateOf } from './template.ts';
import { deleteWorks } from './work-writer.ts';

/** What it works with. */
export interface ReplicaSetInput {
  readonly informers: Informers;
  readonly clock: Clock;
  /** Whether earlier templates are kept, and rollouts can be paused. */
  readonly hasRevisions: boolean;
}

const finalizer = Finalizer.ManifestWorkReplicaSetCleanup;

/** Whether a cluster does not report to the hub. */
const isUnreachable = (cluster: ManagedCluster | undefined): boolean =>
  findCondition(cluster?.status?.conditions, ManagedClusterCondition.Available)?.status === 'Unknown';

const placementKeyOf = ({ metadata }: PlacementDecision): string =>
  joinKey(metadata?.namespace, metadata?.labels?.[Label.Placement] ?? '');

/** Keeps a work on each cluster of the placements of a replica set, by its rollout strategies, and sums up how they are. */
export function replicaSetController({ informers, clock, hasRevisions }: ReplicaSetInput): Controller {
  const works = new GeneratedWorks(informers, clock, Label.ManifestWorkReplicaSet);
  const { replicaSets, placementCache, decisions, clusters } = cachesOf(informers);
  const templates = new Templates();
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
      if (!replicaSet || isDeleting(replicaSet)) templates.forget(key);
      if (!replicaSet) return done;
      const isHeld = hasFinalizer(replicaSet, finalizer);
      if (isDeleting(replicaSet)) {
        if (isHeld) await finalize(works, replicaSets, replicaSet);
        return done;
      }
      if (!isHeld) {
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
        isUnreachable: (cluster) => isUnreachable(clusters.get(cluster)),
        isPaused: hasRevisions && isPaused(replicaSet),
        now: clock.now(),
      });
      await writeStatus(replicaSets, replicaSet, replicaSetStatus(status, outcome, clock.now()));
      if (errors.length > 0) throw errors[0];
      const waits = [recheckAfterMs, works.awaitedMs(key)].filter((ms) => ms !== undefined);
      return waits.length > 0 ? after(Math.min(...waits), 'a soak time, a deadline or a write ends') : done;
    },
  });
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

/** Wakes the replica sets with works on a cluster that is lost or back. */
const clusterWatch = (clusters: CachedResource<ManagedCluster>, works: GeneratedWorks): Watch => ({
  ...on(
    clusters,
    ({ metadata }) => works.ownersOn(metadata?.name ?? ''),
    ({ object, previous }) => isUnreachable(object) !== isUnreachable(previous),
  ),
  // The work manager of OCM has no right to read clusters, and a program in its place must do without.
  whenSynced: async () => {},
});

/** Made once for each generation: a template may be half a megabyte, and reports of agents come often. */
class Templates {
  readonly #made = new Map<
    string,
    { readonly uid?: string; readonly generation?: number; readonly template: Template }
  >();

  of(key: string, replicaSet: ManifestWorkReplicaSet): Template {
    const { uid, generation } = replicaSet.metadata ?? {};
    const known = this.#made.get(key);
    if (known && known.uid === uid && known.generation === generation) return known.template;
    const template = templateOf(replicaSet);
    this.#made.set(key, { uid, generation, template });
    return template;
  }

  forget(key: string): void {
    this.#made.delete(key);
  }
}

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
