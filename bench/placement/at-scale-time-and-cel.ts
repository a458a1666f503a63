import type { ManagedCluster } from '@flotilla/api-types';
import type { Figure } from '../lib/report.ts';
import { MemoryHub, newCluster } from './memory-hub.ts';

const clusterCount = 10_000;
const taintedCount = 5000;
const placementCount = 1000;
const graceSeconds = 20;

const isDecided = ({ placements }: MemoryHub) => placements.list().every(({ status }) => status?.conditions?.length);

/** The clusters with the most processors have a taint that is tolerated for a while, so that all placements must choose again. */
function taintedCluster(index: number, timeAdded: string): ManagedCluster {
  const cluster = newCluster(index, {});
  if (index >= taintedCount) return cluster;
  const taints = [{ key: 'maintenance', value: 'yes', effect: 'NoSelect' as const, timeAdded }];
  const allocatable = { cpu: '128', memory: '128Gi' };
  return { ...cluster, spec: { hubAcceptsClient: true, taints }, status: { ...cluster.status, allocatable } };
}

/** A toleration that ends on half of the clusters in the same second. */
export async function tolerationsThatEnd(): Promise<Figure[]> {
  await using hub = new MemoryHub();
  const added = Math.ceil(Date.now() / 1000) * 1000;
  const timeAdded = new Date(added).toISOString();
  for (let index = 0; index < clusterCount; index++) hub.clusters.put(taintedCluster(index, timeAdded));
  const builtIn = { type: 'BuiltIn' as const, builtIn: 'ResourceAllocatableCPU' };
  for (let index = 0; index < placementCount; index++) {
    hub.addPlacement(index, {
      numberOfClusters: 10,
      tolerations: [{ key: 'maintenance', operator: 'Exists', tolerationSeconds: graceSeconds }],
      prioritizerPolicy: { mode: 'Exact', configurations: [{ scoreCoordinate: builtIn, weight: 1 }] },
    });
  }
  await hub.cost(
    () => hub.start(),
    () => isDecided(hub),
  );
  const deadline = added + graceSeconds * 1000;
  if (Date.now() > deadline - 1000)
    throw new Error('the start took longer than the toleration: the machine is too busy');
  const lastTainted = `cluster-${String(taintedCount).padStart(5, '0')}`;
  const isChosenAgain = () =>
    Date.now() > deadline &&
    hub.decisions.list().every(({ status }) => (status?.decisions?.[0]?.clusterName ?? '') >= lastTainted);
  // What went before is done.
  await hub.cost(
    () => {},
    () => Date.now() > deadline - 500,
  );
  const { cpuMs, scheduled, writes } = await hub.cost(() => {}, isChosenAgain);
  return [
    {
      what: `a toleration of ${taintedCount} clusters ends: times that one of ${placementCount} placements is scheduled`,
      unit: '',
      ours: scheduled / placementCount,
      peer: { name: 'target', value: 1 },
      // A second time if it was gathering changes at that moment.
      limit: 2,
    },
    {
      what: '… pages written for each',
      unit: '',
      ours: writes / placementCount,
      peer: { name: 'target', value: 1 },
      limit: 1,
    },
    { what: '… CPU', unit: 'ms', ours: cpuMs },
  ];
}

/** Expressions that may read all of a cluster: each is evaluated once for each cluster that changes. */
export async function expressions(): Promise<Figure[]> {
  await using hub = new MemoryHub();
  const changing = 1000;
  for (let index = 0; index < clusterCount; index++) hub.addCluster(index);
  for (let index = 0; index < placementCount; index++) {
    const celExpressions = [`managedCluster.metadata.labels["region"] == "r${index % 20}"`];
    hub.addPlacement(index, {
      numberOfClusters: 1,
      predicates: [{ requiredClusterSelector: { celSelector: { celExpressions } } }],
    });
  }
  const cold = await hub.cost(
    () => hub.start(),
    () => isDecided(hub),
  );
  const changed = await hub.cost(
    () => {
      for (let index = 0; index < changing; index++) hub.clusters.put(withVersion(newCluster(index, {})));
    },
    () => true,
  );
  return [
    {
      what: `20 expressions, a cluster that changes: CPU`,
      unit: 'ms',
      ours: changed.cpuMs / changing,
      peer: { name: 'a cluster at the start', value: cold.cpuMs / clusterCount },
      limit: 2,
    },
    {
      what: '… placements scheduled again, and one',
      unit: '',
      ours: changed.scheduled + 1,
      peer: { name: 'target', value: 1 },
      limit: 1,
    },
  ];
}

const withVersion = (cluster: ManagedCluster): ManagedCluster => ({
  ...cluster,
  status: { ...cluster.status, version: { kubernetes: 'v1.36.0' } },
});
