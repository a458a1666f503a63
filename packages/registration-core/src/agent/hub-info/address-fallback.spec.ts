import { silentLogger } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import type { ConnectionReason, ConnectionState } from '../../contract/index.ts';
import { addressFallback } from './address-fallback.ts';

function start({
  announces = true,
  alive = ['new'],
  reason = 'Unavailable',
  inUse,
}: {
  announces?: boolean;
  alive?: string[];
  reason?: ConnectionReason;
  inUse?: string;
} = {}) {
  const clock = new FakeClock();
  const end = new AbortController();
  const used: { server: string; afterMs: number }[] = [];
  let checks = 0;
  const living = new Set(alive);
  const fallback = addressFallback({
    server: 'old',
    ...(inUse && { inUse }),
    announced: () => (announces ? 'new' : undefined),
    async check(): Promise<ConnectionState> {
      checks += 1;
      const current = used.at(-1)?.server ?? inUse ?? 'old';
      return living.has(current) ? { connected: true } : { connected: false, reason, message: 'm' };
    },
    use: (server) => used.push({ server, afterMs: clock.monotonic() }),
    clock,
    log: silentLogger,
    signal: end.signal,
  });
  return { clock, fallback, used, living, end, checks: () => checks };
}

describe('the other address of a hub', () => {
  it('is used when the first has not answered for half a minute, and asked about no more when it works', async () => {
    const scene = start();
    scene.fallback.unreachable();
    await scene.clock.advance(29_000);
    expect(scene.used).toEqual([]);
    await scene.clock.advance(10 * 60_000);
    expect(scene.used).toEqual([{ server: 'new', afterMs: 30_000 }]);
    expect(scene.checks()).toBe(7);
  });

  it('is not used after an interruption that passes', async () => {
    const scene = start({ alive: [] });
    scene.fallback.unreachable();
    await scene.clock.advance(12_000);
    scene.living.add('old');
    await scene.clock.advance(10 * 60_000);
    expect([scene.used, scene.checks()]).toEqual([[], 3]);
  });

  it('is not used if there is none, or if the hub answers and refuses', async () => {
    const none = start({ announces: false });
    none.fallback.unreachable();
    const refused = start({ alive: [], reason: 'Unauthorized' });
    refused.fallback.unreachable();
    for (const { clock } of [none, refused]) await clock.advance(10 * 60_000);
    expect([none.checks(), refused.checks(), refused.used]).toEqual([0, 1, []]);
  });

  it('is changed for the first again as long as neither answers', async () => {
    const scene = start({ alive: [] });
    scene.fallback.unreachable();
    scene.fallback.unreachable();
    await scene.clock.advance(65_000);
    expect(scene.used.map(({ server }) => server)).toEqual(['new', 'old']);
    scene.end.abort();
    await scene.clock.advance(60_000);
    expect(scene.used).toHaveLength(2);
  });

  it('is left for the first one when it does not answer, also when the hub announces it no more', async () => {
    const scene = start({ inUse: 'new', announces: false, alive: ['old'] });
    scene.fallback.unreachable();
    await scene.clock.advance(60_000);
    expect(scene.used.map(({ server }) => server)).toEqual(['old']);
  });
});
