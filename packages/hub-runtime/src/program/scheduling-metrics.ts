import type { SchedulingMetrics } from '@flotilla/placement';
import type { Metrics } from '@flotilla/process';

/** From a microsecond to a quarter of an hour, as in OCM. */
const buckets = Array.from({ length: 10 }, (_, exponent) => 10 ** (exponent - 6));
/** The one value of the label that OCM's histograms have. */
const labels = { name: 'placement_scheduling' };

/** The durations of scheduling, by the names of OCM's histograms. */
export function schedulingMetricsFor(metrics: Metrics): SchedulingMetrics {
  const scheduling = metrics.histogram({
    name: 'scheduling_scheduling_duration_seconds',
    help: 'How long it takes to select the clusters of a placement.',
    labels: ['name'],
    buckets,
  });
  const bind = metrics.histogram({
    name: 'scheduling_bind_duration_seconds',
    help: 'How long it takes to write the decisions and the status of a placement.',
    labels: ['name'],
    buckets,
  });
  return {
    scheduled: (seconds) => scheduling.observe(labels, seconds),
    bound: (seconds) => bind.observe(labels, seconds),
  };
}
