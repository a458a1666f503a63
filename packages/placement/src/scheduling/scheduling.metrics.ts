/** Is informed of how long the parts of a reconcile take, in seconds. */
export interface SchedulingMetrics {
  /** From the start to the first write. */
  scheduled(seconds: number): void;
  /** From there to the end, with the status of the placement. */
  bound(seconds: number): void;
}

/** Reports nothing. */
export const noSchedulingMetrics: SchedulingMetrics = { scheduled() {}, bound() {} };
