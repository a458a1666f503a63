import type { Metrics } from '../metrics/metrics.ts';
import type { Route } from './route.ts';

/** `/metrics`, in the format of Prometheus. */
export const metricsRoute = (metrics: Metrics): Route => ({
  path: '/metrics',
  async handle() {
    const { body, contentType } = await metrics.render();
    return { status: 200, body, contentType };
  },
});
