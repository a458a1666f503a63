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
  type PlacementSpec,
  placementDecisions,
  placements,
} from '@flotilla/api-types';
import { createKubeClient, type Informers, realClock, runControllers, silentLogger } from '@flotilla/kube';
import { ScriptedTransport } from '@flotilla/kube/testing/internal';
import { createPlacement, type SchedulerGates, withSharedDecisions } from '@flotilla/placement';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { MemoryResource } from './memory-resource.ts';

/** What an action cost the scheduler. */
export interface Cost {
  /** Processor time, ms. */
  readonly cpuMs: number;
  readonly elapsedMs: number;
  /** Writes of decisions. */
  readonly writes: number;
  /** Selections of clusters for a placement. */
  readonly scheduled: number;
}

/** The scheduler of a hub on caches without a server: its own cost is all there is. */
export class MemoryHub implements AsyncDisposable {
  readonly clusters = new MemoryResource<ManagedCluster>(managedClusters);
  readonly sets = new MemoryResource<ManagedClusterSet>(managedClusterSets);
  readonly bindings = new MemoryResource<ManagedClusterSetBinding>(managedClusterSetBindings);
  readonly scores = new MemoryResource<AddOnPlacementScore>(addOnPlacementScores);
  readonly placements = new MemoryResource<Placement>(placements);
  readonly decisions = new MemoryResource<PlacementDecision>(placementDecisions);
  readonly #end = new AbortController();
  #running: Promise<void> | undefined;
  #scheduled = 0;

  constructor() {
    const clusterSelector = { selectorType: 'LabelSelector', labelSelector: {} } as const;
    this.sets.put({ metadata: { name: 'global' }, spec: { clusterSelector } });
    this.bindings.put({ metadata: { namespace: 'team', name: 'global' }, spec: { clusterSet: 'global' } });
  }

  addCluster(index: number, labels: Readonly<Record<string, string>> = {}): void {
    this.clusters.put(newCluster(index, labels));
  }

  addPlacement(index: number, spec: PlacementSpec): void {
    this.placements.put({ metadata: { namespace: 'team', name: `p${index}`, generation: 1 }, spec });
  }

  /** Starts the scheduler. */
  start(gates: SchedulerGates = {}): void {
    const kinds: readonly MemoryResource<never>[] = [
      this.clusters,
      this.sets,
      this.bindings,
      this.scores,
      this.placements,
      this.decisions,
    ] as never;
    const resource = <T extends KubeObject>(
      type: ResourceType<T>,
      options: { readonly transform?: (object: T) => T } = {},
    ) => {
      const found = kinds.find((each) => each.type.plural === type.plural) as unknown as MemoryResource<T>;
      if (options.transform) found.transform = options.transform;
      return found;
    };
    const caches: Informers = { resource, metadata: resource as never, close() {}, [Symbol.dispose]() {} };
    const informers = withSharedDecisions(caches);
    const client = createKubeClient({ transport: new ScriptedTransport(() => ({ body: {} })) });
    const metrics = { scheduled: () => void this.#scheduled++, bound: () => {} };
    const { controllers } = createPlacement({
      client,
      informers,
      clock: realClock,
      log: silentLogger,
      gates,
      metrics,
    });
    this.#running = runControllers(controllers, { signal: this.#end.signal, log: silentLogger });
  }

  /** What the scheduler spends on an action, until `isDone`. */
  async cost(action: () => void, isDone: () => boolean): Promise<Cost> {
    const writes = this.decisions.writes;
    const scheduled = this.#scheduled;
    const started = performance.now();
    const cpu = process.cpuUsage();
    action();
    while (!isDone()) await realClock.sleep(25);
    const { user, system } = process.cpuUsage(cpu);
    return {
      cpuMs: (user + system) / 1000,
      elapsedMs: performance.now() - started,
      writes: this.decisions.writes - writes,
      scheduled: this.#scheduled - scheduled,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#running;
  }
}

export const clusterName = (index: number): string => `cluster-${String(index).padStart(5, '0')}`;

/** A cluster as an agent reports it. */
export const newCluster = (index: number, labels: Readonly<Record<string, string>>): ManagedCluster => ({
  metadata: { name: clusterName(index), labels: { vendor: 'Kind', region: `r${index % 20}`, ...labels } },
  spec: { hubAcceptsClient: true },
  status: {
    allocatable: { cpu: String(4 + (index % 60)), memory: `${8 + (index % 120)}Gi` },
    capacity: { cpu: '64', memory: '128Gi' },
    clusterClaims: [{ name: 'platform', value: index % 2 === 0 ? 'AWS' : 'GCP' }],
    conditions: [],
  },
});
