import { Metrics } from '@flotilla/process';
import { expect, it } from 'vitest';
import { schedulingMetricsFor } from './scheduling-metrics.ts';

it('[placement 15.8-169] counts each time that clusters are selected and decisions are written', async () => {
  const metrics = new Metrics({ processMetrics: false });
  const scheduling = schedulingMetricsFor(metrics);
  for (let round = 0; round < 2; round++) {
    scheduling.scheduled(0.000_02);
    scheduling.bound(0.05);
  }
  const { body } = await metrics.render();
  expect(body).toContain('scheduling_bind_duration_seconds_count{name="placement_scheduling"} 2');
  expect(body).toContain('scheduling_scheduling_duration_seconds_bucket{le="0.0001",name="placement_scheduling"} 2');
});
