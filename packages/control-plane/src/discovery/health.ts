import type { ApiResponse } from '../contracts/exchange.ts';
import type { PathHandler } from '../contracts/handlers.ts';

/** A health check. */
export interface HealthCheck {
  /** Shown in verbose answers and used in paths, as `ping` or `poststarthook/bootstrap`. */
  readonly name: string;
  /** The error; undefined when healthy. */
  readonly check: () => string | undefined;
}

export interface HealthChecks {
  /** A process that fails these should be restarted. */
  readonly live: readonly HealthCheck[];
  /** A server that fails these should get no requests; all of `live` count too. */
  readonly ready: readonly HealthCheck[];
}

/** Succeeds whenever the server responds. */
const ping: HealthCheck = { name: 'ping', check: () => undefined };

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

function one({ check }: HealthCheck): ApiResponse {
  const error = check();
  return error === undefined ? text(200, 'ok') : text(500, `internal server error: ${error}\n`);
}

function all(endpoint: string, checks: readonly HealthCheck[], query: URLSearchParams): ApiResponse {
  const excluded = new Set(query.getAll('exclude'));
  let healthy = true;
  let report = '';
  for (const { name, check } of checks) {
    if (excluded.delete(name)) report += `[+]${name} excluded: ok\n`;
    else if (check() === undefined) report += `[+]${name} ok\n`;
    else {
      healthy = false;
      // Anonymous requests are served too, so the reason is withheld.
      report += `[-]${name} failed: reason withheld\n`;
    }
  }
  if (excluded.size > 0) {
    const names = [...excluded].sort().map((name) => JSON.stringify(name));
    report += `warn: some health checks cannot be excluded: no matches for ${names.join(',')}\n`;
  }
  if (!healthy) return text(500, `${report}${endpoint} check failed\n`);
  return text(200, query.has('verbose') ? `${report}${endpoint} check passed\n` : 'ok');
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
