import {
  type AddOnPlacementScore,
  addOnPlacementScores,
  type ManagedCluster,
  type ManagedClusterSet,
  type ManagedClusterSetBinding,
  managedClusterSetBindings,
  managedClusterSets,
  managedClusters,
  type Placement,
  type PlacementDecision,
  placementDecisions,
  placements,
} from '@flotilla/api-types';
import type { CachedResource, Informers, StoreChange, Watch } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import { Subscription } from 'rxjs';
import type { PlacementEngine } from '../engine/engine.ts';
import { type DecisionStore, placementKeyOf } from './decision-store.ts';

/** Asks for a key to be reconciled. */
export type Wake = Parameters<Watch['subscribe']>[0];

/** The caches that scheduling reads. */
export interface PlacementCaches {
  readonly clusters: CachedResource<ManagedCluster>;
  readonly sets: CachedResource<ManagedClusterSet>;
  readonly bindings: CachedResource<ManagedClusterSetBinding>;
  readonly scores: CachedResource<AddOnPlacementScore>;
  readonly placements: CachedResource<Placement>;
  readonly decisions: CachedResource<PlacementDecision>;
}

/** The caches of these informers. */
export const placementCaches = (informers: Informers): PlacementCaches => ({
  clusters: informers.resource(managedClusters),
  sets: informers.resource(managedClusterSets),
  bindings: informers.resource(managedClusterSetBindings),
  scores: informers.resource(addOnPlacementScores),
  placements: informers.resource(placements),
  decisions: informers.resource(placementDecisions),
});

const nameOf = ({ metadata }: KubeObject): string => metadata?.name ?? '';
const namespaceOf = ({ metadata }: KubeObject): string => metadata?.namespace ?? '';

/**
 * Feeds the engine with every change of the fleet. `wakeBy` receives how to enqueue keys of the controller; the engine uses it for placements
 * whose result may have changed. What a user changes of a placement goes before what the fleet causes.
 */
export function fleetWatch(
  caches: PlacementCaches,
  engine: PlacementEngine,
  store: DecisionStore,
  wakeBy: (wake: Wake) => void,
): Watch {
  return {
    subscribe(wake, onFailure, onStreamError) {
      wakeBy(wake);
      const all = new Subscription();
      const follow: Follow = (cache, put, remove) => all.add(followCache(cache, put, remove, onFailure, onStreamError));
      follow(
        caches.clusters,
        (cluster) => engine.setCluster(cluster),
        (cluster) => engine.deleteCluster(nameOf(cluster)),
      );
      follow(
        caches.sets,
        (set) => engine.setSet(set),
        (set) => engine.deleteSet(nameOf(set)),
      );
      // As in OCM, a binding binds the set of its own name.
      follow(
        caches.bindings,
        (binding) => engine.setBinding(namespaceOf(binding), nameOf(binding)),
        (binding) => engine.deleteBinding(namespaceOf(binding), nameOf(binding)),
      );
      follow(
        caches.scores,
        (score) => engine.setScore(score),
        (score) => engine.deleteScore(namespaceOf(score), nameOf(score)),
      );
      follow(
        caches.decisions,
        (decision) => {
          store.observe(decision);
          wake(placementKeyOf(decision), 'backlog');
        },
        (decision) => {
          store.remove(decision);
          wake(placementKeyOf(decision), 'backlog');
        },
      );
      follow(
        caches.placements,
        (placement, { key, initial }) => {
          engine.setPlacement(placement);
          wake(key, initial ? 'backlog' : 'live');
        },
        (_, { key }) => engine.deletePlacement(key),
      );
      return all;
    },
    async whenSynced(options) {
      await Promise.all(Object.values(caches).map((cache) => cache.whenSynced(options)));
    },
  };
}

type Handler<T extends KubeObject> = (object: T, change: StoreChange<T>) => void;

type Follow = <T extends KubeObject>(cache: CachedResource<T>, put: Handler<T>, remove: Handler<T>) => void;

function followCache<T extends KubeObject>(
  cache: CachedResource<T>,
  put: Handler<T>,
  remove: Handler<T>,
  onFailure: (error: unknown) => void,
  onStreamError: (error: unknown) => void,
): Subscription {
  const next = (change: StoreChange<T>) => {
    try {
      (change.type === 'deleted' ? remove : put)(change.object, change);
    } catch (error) {
      onFailure(error);
    }
  };
  return cache.changes.subscribe({ next, error: onStreamError });
}
