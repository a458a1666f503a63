import {
  managedClusterSetBindings,
  managedClusterSets,
  managedClusters,
  type Placement,
  type PlacementSpec,
  placementDecisions,
  placements,
} from '@flotilla/api-types';
import { createInformers, type Informers, type KubeClient } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { whenAll } from '../registration/when-all.ts';
import { clusterName, newCluster } from './memory-hub.ts';

const namespace = 'team';
const atOnce = 32;

/** Calls `run` for each index, some at a time. */
async function each(count: number, run: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** The clusters and placements of a hub with a real API server. */
export class BenchFleet implements Disposable {
  readonly #client: KubeClient;
  readonly #informers: Informers;

  constructor(client: KubeClient) {
    this.#client = client;
    this.#informers = createInformers({ client });
  }

  /** Clusters in a set that is bound to one namespace. */
  async create(count: number): Promise<void> {
    await this.#client.resource(namespaces).create({ metadata: { name: namespace } });
    const clusterSelector = { selectorType: 'LabelSelector', labelSelector: {} } as const;
    await this.#client.resource(managedClusterSets).create({ metadata: { name: 'all' }, spec: { clusterSelector } });
    const metadata = { namespace, name: 'all' };
    await this.#client.resource(managedClusterSetBindings).create({ metadata, spec: { clusterSet: 'all' } });
    await each(count, async (index) => {
      const { status, ...cluster } = newCluster(index, { env: index % 10 === 0 ? 'prod' : 'dev' });
      await this.#client.resource(managedClusters).create(cluster);
      await this.#client
        .resource(managedClusters)
        .status.patch(clusterName(index), { type: 'merge', body: { status } });
    });
  }

  /** Creates placements at once, and resolves when all have decided; gives how long that took, in ms. */
  async place(specs: Readonly<Record<string, PlacementSpec>>): Promise<number> {
    const cache = this.#informers.resource(placements);
    await cache.whenSynced();
    const started = performance.now();
    const names = Object.keys(specs);
    const decided = whenAll(
      cache,
      'decisions',
      names.map((name) => `${namespace}/${name}`),
      isDecided,
    );
    await each(names.length, (index) => {
      const name = names[index] ?? '';
      return this.#client.resource(placements).create({ metadata: { namespace, name }, spec: specs[name] ?? {} });
    });
    await decided;
    return performance.now() - started;
  }

  /** Changes a label of a cluster, and resolves when placements select as many clusters as they shall; gives the time in ms. */
  async relabel(index: number, env: string, wanted: Readonly<Record<string, number>>): Promise<number> {
    const cache = this.#informers.resource(placements);
    await cache.whenSynced();
    const started = performance.now();
    const keys = Object.keys(wanted).map((name) => `${namespace}/${name}`);
    const body = { metadata: { labels: { env } } };
    await this.#client.resource(managedClusters).patch(clusterName(index), { type: 'merge', body });
    await whenAll(
      cache,
      'decisions',
      keys,
      (placement) => placement?.status?.numberOfSelectedClusters === wanted[placement?.metadata?.name ?? ''],
    );
    return performance.now() - started;
  }

  /** Changes the conditions of clusters, as heartbeats do, and nothing that placements read. */
  heartbeats(count: number, round: number): Promise<void> {
    const conditions = [
      {
        type: 'ManagedClusterConditionAvailable',
        status: 'True',
        reason: 'ManagedClusterAvailable',
        message: `round ${round}`,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ];
    const clusters = this.#client.resource(managedClusters);
    return each(count, (index) =>
      clusters.status.patch(clusterName(index), { type: 'merge', body: { status: { conditions } } }),
    );
  }

  /** Deletes all placements, and resolves when their decisions are gone. */
  async clear(): Promise<void> {
    const { items } = await this.#client.resource(placements).list({ namespace });
    await this.#client.resource(placements).deleteCollection({ namespace });
    const decisions = this.#client.resource(placementDecisions);
    await decisions.deleteCollection({ namespace });
    const cache = this.#informers.resource(placements);
    const keys = items.map(({ metadata }) => `${namespace}/${metadata?.name}`);
    await whenAll(cache, 'deletion', keys, (placement) => placement === undefined);
  }

  [Symbol.dispose](): void {
    this.#informers.close();
  }
}

const isDecided = (placement: Placement | undefined): boolean => (placement?.status?.conditions ?? []).length > 0;
