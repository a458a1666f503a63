import type { Route } from '../serving/route.ts';
import type { Health, HealthEndpoint } from './health.ts';
import { healthText } from './health-text.ts';

const endpoints: readonly HealthEndpoint[] = ['healthz', 'livez', 'readyz'];

/** `/healthz`, `/livez`, `/readyz`, each with `?verbose`, `?exclude=` (repeatable) and `/<check>`. */
export const healthRoutes = (health: Health): Route[] =>
  endpoints.map((endpoint) => ({
    path: `/${endpoint}`,
    subPaths: true,
    async handle({ url }) {
      const only = url.pathname.slice(endpoint.length + 2) || undefined;
      const exclude = url.searchParams.getAll('exclude');
      const report = await health.probe(endpoint, { exclude, ...(only !== undefined && { only }) });
      if (!report) return { status: 404, body: `there is no health check ${JSON.stringify(only)}\n` };
      const failed = report.results.some((result) => result.reason !== undefined);
      return { status: failed ? 500 : 200, body: healthText(report, url.searchParams.has('verbose')) };
    },
  }));
