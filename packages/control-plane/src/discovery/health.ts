import type { ApiResponse } from '../server/exchange.ts';
import type { PathHandler } from '../server/handler.ts';

/** One thing that must be well. */
export interface HealthCheck {
  /** Shown in verbose answers and used in paths, as `ping` or `poststarthook/bootstrap`. */
  readonly name: string;
  /** What is wrong; undefined when all is well. */
  readonly problem: () => string | undefined;
}

export interface HealthChecks {
  /** A process that fails these should be restarted. */
  readonly live: readonly HealthCheck[];
  /** A server that fails these should get no requests; all of `live` count too. */
  readonly ready: readonly HealthCheck[];
}

/** What every server has: it answers, so it lives. */
const ping: HealthCheck = { name: 'ping', problem: () => undefined };

/** All checks by the endpoint that runs them. */
export function healthEndpoints({ live, ready }: HealthChecks): ReadonlyMap<string, readonly HealthCheck[]> {
  const alive = [ping, ...live];
  return new Map([
    ['healthz', alive],
    ['livez', alive],
    ['readyz', [...alive, ...ready]],
  ]);
}

/** `/healthz`, `/livez` and `/readyz`, with `?verbose`, `?exclude=` and one path per check. */
export function healthPaths(endpoints: ReadonlyMap<string, readonly HealthCheck[]>): PathHandler {
  return ({ path, query }) => {
    const [, endpoint = '', ...rest] = path.split('/');
    const checks = endpoints.get(endpoint);
    if (!checks) return undefined;
    if (rest.length === 0) return all(endpoint, checks, query);
    const check = checks.find(({ name }) => name === rest.join('/'));
    return check && one(check);
  };
}

function one({ problem }: HealthCheck): ApiResponse {
  const wrong = problem();
  return wrong === undefined ? text(200, 'ok') : text(500, `internal server error: ${wrong}\n`);
}

function all(endpoint: string, checks: readonly HealthCheck[], query: URLSearchParams): ApiResponse {
  const excluded = new Set(query.getAll('exclude'));
  let healthy = true;
  let told = '';
  for (const { name, problem } of checks) {
    if (excluded.delete(name)) told += `[+]${name} excluded: ok\n`;
    else if (problem() === undefined) told += `[+]${name} ok\n`;
    else {
      healthy = false;
      // Anybody may ask, so nobody is told why.
      told += `[-]${name} failed: reason withheld\n`;
    }
  }
  if (excluded.size > 0) {
    const names = [...excluded].sort().map((name) => JSON.stringify(name));
    told += `warn: some health checks cannot be excluded: no matches for ${names.join(',')}\n`;
  }
  if (!healthy) return text(500, `${told}${endpoint} check failed\n`);
  return text(200, query.has('verbose') ? `${told}${endpoint} check passed\n` : 'ok');
}

const text = (status: number, body: string): ApiResponse => ({
  status,
  headers: {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-cache, private',
    'x-content-type-options': 'nosniff',
  },
  body,
});
