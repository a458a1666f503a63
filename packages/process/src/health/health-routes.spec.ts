import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningServer, serve } from '../serving/serve.ts';
import { Health } from './health.ts';
import { healthRoutes } from './health-routes.ts';

let health: Health;
let server: RunningServer;

beforeEach(async () => {
  health = new Health();
  server = await serve({ address: { host: '127.0.0.1', port: 0 }, routes: healthRoutes(health) });
});
afterEach(() => server.close());

async function get(path: string) {
  const response = await fetch(server.url + path);
  return { status: response.status, body: await response.text() };
}

const failing = () => {
  throw new Error('watch of leases refused: Bearer hunter2');
};

describe('the health endpoints', () => {
  it.each(['/healthz', '/livez', '/readyz'])('%s says ok when all is well', async (path) => {
    expect(await get(path)).toEqual({ status: 200, body: 'ok' });
  });

  it('list the checks when asked for more', async () => {
    health.register({ name: 'informer-sync', kind: 'ready', check: () => {} });
    expect(await get('/readyz?verbose')).toEqual({
      status: 200,
      body: '[+]ping ok\n[+]informer-sync ok\nreadyz check passed\n',
    });
  });

  it('withhold the reason of a failure unless asked for more, and secrets always', async () => {
    health.register({ name: 'informer-sync', kind: 'ready', check: failing });
    expect(await get('/readyz')).toEqual({
      status: 500,
      body: '[+]ping ok\n[-]informer-sync failed: reason withheld\nreadyz check failed\n',
    });
    expect((await get('/readyz?verbose')).body).toContain(
      '[-]informer-sync failed: watch of leases refused: Bearer <redacted>\n',
    );
  });

  it('leave out what is excluded, and warn of names that are not checks', async () => {
    health.register({ name: 'informer-sync', kind: 'ready', check: failing });
    expect(await get('/readyz?exclude=informer-sync')).toEqual({ status: 200, body: 'ok' });
    expect((await get('/readyz?verbose&exclude=informer-sync&exclude=nope')).body).toBe(
      '[+]ping ok\nwarn: some health checks cannot be excluded: no matches for "nope"\nreadyz check passed\n',
    );
  });

  it('answer for one check alone', async () => {
    health.register({ name: 'informer-sync', kind: 'ready', check: failing });
    expect(await get('/readyz/ping')).toEqual({ status: 200, body: 'ok' });
    expect((await get('/readyz/informer-sync')).status).toBe(500);
    expect(await get('/readyz/nope')).toEqual({ status: 404, body: 'there is no health check "nope"\n' });
    expect((await get('/readyz/%E0%A4%A')).status).toBe(404);
  });
});
