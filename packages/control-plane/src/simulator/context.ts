import type { WorkloadContext } from '../workloads/context.ts';

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
export interface SimulatorContext extends WorkloadContext {
  readonly latency: SimulatedLatency;
}
