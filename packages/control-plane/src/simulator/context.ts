import type { CachedResource, Clock, Informers, KubeClient, Logger } from '@flotilla/kube';
import type { Node, Pod } from '@flotilla/kube/kinds';
import type { WorkloadEvents } from './events/workload-events.ts';

/** How long things take that take time in a real cluster. */
export interface SimulatedLatency {
  /** From a node to running. */
  readonly startMs: number;
  /** From deletion to gone, if the pod's grace allows as much. */
  readonly stopMs: number;
  /** How long the pods of jobs run. */
  readonly jobMs: number;
}

/** What the simulated controllers work with. */
export interface SimulatorContext {
  readonly client: KubeClient;
  readonly informers: Informers;
  readonly pods: CachedResource<Pod>;
  readonly nodes: CachedResource<Node>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly latency: SimulatedLatency;
  readonly events: WorkloadEvents;
}
