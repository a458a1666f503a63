import type { Logger } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { Health, type HealthCheck } from './health.ts';

const well = (name: string, kind: HealthCheck['kind'] = 'ready'): HealthCheck => ({ name, kind, check: () => {} });
const sick = (name: string, reason = 'no leader'): HealthCheck => ({
  name,
  kind: 'ready',
  check: () => Promise.reject(new Error(reason)),
});

function recordingLogger() {
  const lines: string[] = [];
  const write = (level: string) => (message: string, fields?: Record<string, unknown>) =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`);
  const log: Logger = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => log,
  };
  return { log, lines };
}

describe('health', () => {
  it('has a ping from the start, so that each endpoint answers', async () => {
    const health = new Health();
    for (const endpoint of ['healthz', 'livez', 'readyz'] as const) {
      expect(await health.probe(endpoint)).toEqual({ endpoint, results: [{ name: 'ping' }], unknownExcludes: [] });
    }
  });

  it('shows a ready check to /readyz only, and a live check to all', async () => {
    const health = new Health();
    health.register(well('informer-sync'));
    health.register(well('event-loop', 'live'));
    const names = async (endpoint: 'livez' | 'readyz' | 'healthz') =>
      (await health.probe(endpoint))?.results.map((result) => result.name);
    expect(await names('livez')).toEqual(['ping', 'event-loop']);
    expect(await names('healthz')).toEqual(['ping', 'event-loop']);
    expect(await names('readyz')).toEqual(['ping', 'informer-sync', 'event-loop']);
  });

  it('gives the reason of a check that fails, thrown or rejected', async () => {
    const health = new Health();
    health.register(sick('rejecting'));
    health.register({
      name: 'throwing',
      kind: 'ready',
      check() {
        throw new Error('bad');
      },
    });
    expect((await health.probe('readyz'))?.results).toEqual([
      { name: 'ping' },
      { name: 'rejecting', reason: 'no leader' },
      { name: 'throwing', reason: 'bad' },
    ]);
  });

  it('fails a check that does not answer in time, and aborts its signal', async () => {
    const clock = new FakeClock();
    const health = new Health({ clock });
    let received: AbortSignal | undefined;
    health.register({
      name: 'hanging',
      kind: 'ready',
      deadlineMs: 1500,
      check(signal) {
        received = signal;
        return new Promise(() => {});
      },
    });
    const probe = health.probe('readyz');
    await clock.advance(1500);
    expect((await probe)?.results[1]).toEqual({ name: 'hanging', reason: 'no answer within 1.5s' });
    expect(received?.aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('leaves excluded checks out and names those that do not exist', async () => {
    const health = new Health();
    health.register(sick('leader'));
    expect(await health.probe('readyz', { exclude: ['leader', 'lader'] })).toMatchObject({
      results: [{ name: 'ping' }],
      unknownExcludes: ['lader'],
    });
  });

  it('runs one check alone, and knows when there is none', async () => {
    const health = new Health();
    health.register(sick('leader'));
    expect((await health.probe('readyz', { only: 'leader' }))?.results).toEqual([
      { name: 'leader', reason: 'no leader' },
    ]);
    expect(await health.probe('livez', { only: 'leader' })).toBeUndefined();
    expect(await health.probe('readyz', { only: 'nope' })).toBeUndefined();
  });

  it('forgets a check that was taken away, but not its successor of the same name', async () => {
    const health = new Health();
    const takeAway = health.register(sick('leader'));
    health.register(well('leader'));
    takeAway();
    expect((await health.probe('readyz'))?.results).toEqual([{ name: 'ping' }, { name: 'leader' }]);
  });

  it('fails /readyz but not /livez while the process drains', async () => {
    const health = new Health();
    health.drain();
    expect((await health.probe('readyz'))?.results).toContainEqual({
      name: 'shutdown',
      reason: 'the process is shutting down',
    });
    expect((await health.probe('livez'))?.results).toEqual([{ name: 'ping' }]);
  });

  it('logs when a check begins to fail, when its reason changes and when it recovers, not at each probe', async () => {
    const { log, lines } = recordingLogger();
    const health = new Health({ log });
    let reason: string | undefined = 'a';
    const check = () => {
      if (reason !== undefined) throw new Error(reason);
    };
    health.register({ name: 'leader', kind: 'ready', check });
    await health.probe('readyz');
    await health.probe('readyz');
    reason = 'b';
    await health.probe('readyz');
    reason = undefined;
    await health.probe('readyz');
    await health.probe('readyz');
    expect(lines).toEqual([
      'warn health check failed {"check":"leader","reason":"a"}',
      'warn health check failed {"check":"leader","reason":"b"}',
      'info health check recovered {"check":"leader"}',
    ]);
  });
});
