import type { CachedResource, Clock, Informers, KubeClient, Logger } from '@flotilla/kube';
import type { Node, Pod } from '@flotilla/kube/kinds';
import type { WorkloadEvents } from './events/workload-events.ts';

/** What the controllers of workloads work with. */
export interface WorkloadContext {
  readonly client: KubeClient;
  readonly informers: Informers;
  readonly pods: CachedResource<Pod>;
  readonly nodes: CachedResource<Node>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: WorkloadEvents;
}
