/** What clients, informers and controllers measure, for the metrics library of the program. */
export { type KitMetrics, type KitMetricsSubject, noMetrics } from './kit-metrics.ts';
