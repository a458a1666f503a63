import {
  addOnPlacementScores,
  Label,
  type ManagedCluster,
  managedClusterSetBindings,
  managedClusterSets,
  managedClusters,
  type PlacementDecision,
  placementDecisions,
} from '@flotilla/api-types';
import { type KubeClient, keyOf } from '@flotilla/kube';
import { PlacementEngine } from '@flotilla/placement';

/** What a placement is scheduled from, read once with the rights of the user. */
export interface Fleet {
  readonly engine: PlacementEngine;
  readonly clusters: readonly ManagedCluster[];
  readonly decisions: readonly PlacementDecision[];
}

/** Reads the fleet of a hub into the engine of the scheduler. */
export async function loadFleet(client: KubeClient, namespace: string, now: number): Promise<Fleet> {
  const [clusters, sets, bindings, scores, decisions] = await Promise.all([
    client.resource(managedClusters).list(),
    client.resource(managedClusterSets).list(),
    client.resource(managedClusterSetBindings).list({ namespace }),
    client.resource(addOnPlacementScores).list(),
    client.resource(placementDecisions).list(),
  ]);
  const engine = new PlacementEngine({ now, onDirty: () => {}, atOnce: true });
  for (const set of sets.items) engine.setSet(set);
  for (const { metadata } of bindings.items) engine.setBinding(namespace, metadata?.name ?? '');
  for (const cluster of clusters.items) engine.setCluster(cluster);
  for (const score of scores.items) engine.setScore(score);
  for (const decision of decisions.items) {
    const { namespace: own, labels } = decision.metadata ?? {};
    const names = (decision.status?.decisions ?? []).map(({ clusterName }) => clusterName);
    engine.decisions.setPage(`${own}/${labels?.[Label.Placement] ?? ''}`, keyOf(decision), names);
  }
  return { engine, clusters: clusters.items, decisions: decisions.items };
}
