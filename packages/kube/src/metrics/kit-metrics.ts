/** What the kit reports. The default reports nothing; `/process` has the Prometheus implementation. */
export interface KitMetrics {
  /** One call per attempt that reached an answer or an error; `code` is the HTTP status or the KubeError code. */
  request(labels: { verb: string; host: string; code: string }, seconds: number): void;
  retry(labels: { verb: string; host: string; reason: string }): void;
  /** Time of the last event or bookmark of a watch, as seconds since the epoch. */
  watchActivity(labels: { resource: string }, epochSeconds: number): void;
  watchRestart(labels: { resource: string; reason: string }): void;
  storeSize(labels: { resource: string }, objects: number): void;
  queueDepth(labels: { controller: string }, depth: number): void;
  queueWait(labels: { controller: string }, seconds: number): void;
  reconcile(labels: { controller: string; result: 'done' | 'after' | 'error' | 'terminal' }, seconds: number): void;
  certificateExpiry(labels: { origin: string }, epochSeconds: number): void;
  leader(labels: { lease: string }, isLeader: boolean): void;
  /**
   * Drops every series that carries all of the given labels. Whoever reports calls it when its subject is gone (a closed
   * informer, a stopped controller, a client of a cluster that left), or the series of vanished clusters pile up.
   */
  forget(labels: KitMetricsSubject): void;
}

/** What series can be about; at least one is named, because a `forget` of nothing in particular would drop all. */
export type KitMetricsSubject =
  | { host: string }
  | { resource: string }
  | { controller: string }
  | { origin: string }
  | { lease: string };

/** Reports nothing: the default of a library. */
export const noMetrics: KitMetrics = {
  request() {},
  retry() {},
  watchActivity() {},
  watchRestart() {},
  storeSize() {},
  queueDepth() {},
  queueWait() {},
  reconcile() {},
  certificateExpiry() {},
  leader() {},
  forget() {},
};
