import { describe, expect, it } from 'vitest';
import { asking } from '../../fixtures/path-request.ts';
import { type HealthCheck, healthEndpoints, healthPaths } from './health.ts';

const check = (name: string, error?: string): HealthCheck => ({ name, check: () => error });

const endpointsWith = (live: HealthCheck[], ready: HealthCheck[] = []) =>
  asking([healthPaths(healthEndpoints({ live, ready }))]);

describe('health endpoints', () => {
  it.each(['/healthz', '/livez', '/readyz'])('%s says ok when all is well', async (path) => {
    expect(await endpointsWith([check('storage')])(path)).toMatchObject({ status: 200, body: 'ok' });
  });

  it('list each check when asked to be verbose', async () => {
    const ask = endpointsWith([check('storage')], [check('controllers')]);
    expect((await ask('/readyz?verbose'))?.body).toBe(
      '[+]ping ok\n[+]storage ok\n[+]controllers ok\nreadyz check passed\n',
    );
  });

  it('list all failed checks without a reason, since anonymous requests are served', async () => {
    const ask = endpointsWith([check('storage', 'the disk at /data is full')]);
    expect(await ask('/livez')).toMatchObject({
      status: 500,
      body: '[+]ping ok\n[-]storage failed: reason withheld\nlivez check failed\n',
    });
  });

  it('are alive but not ready while a check of readiness fails', async () => {
    const ask = endpointsWith([], [check('controllers', 'starting')]);
    expect(await ask('/livez')).toMatchObject({ status: 200 });
    expect(await ask('/readyz')).toMatchObject({ status: 500 });
  });

  it('leave out excluded checks and warn of exclusions that match none', async () => {
    const ask = endpointsWith([check('storage', 'full')]);
    expect(await ask('/healthz?verbose&exclude=storage&exclude=other')).toMatchObject({
      status: 200,
      body:
        '[+]ping ok\n[+]storage excluded: ok\n' +
        'warn: some health checks cannot be excluded: no matches for "other"\nhealthz check passed\n',
    });
  });

  it('answer for one check by its path, with the reason', async () => {
    const ask = endpointsWith([check('poststarthook/bootstrap', 'not yet')]);
    expect(await ask('/livez/ping')).toMatchObject({ status: 200, body: 'ok' });
    expect(await ask('/livez/poststarthook/bootstrap')).toMatchObject({
      status: 500,
      body: 'internal server error: not yet\n',
    });
    expect(await ask('/livez/unknown')).toBeUndefined();
    expect(await ask('/healthz/')).toBeUndefined();
  });
});
