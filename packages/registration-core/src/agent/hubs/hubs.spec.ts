import type { ManagedCluster } from '@flotilla/api-types';
import { silentLogger } from '@flotilla/kube';
import { timeAfter } from '@flotilla/kube/clock';
import { FakeClock } from '@flotilla/kube/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HubOffer, isDenied } from '../../contract/index.ts';
import { tryingOrder } from './hub-choice.policy.ts';
import { isLost } from './hub-timeout.policy.ts';
import { watchHub } from './hub-watch.ts';

const hubs = [{ server: 'a' }, { server: 'b' }, { server: undefined }, { server: 'c' }];
const cluster = (hubAcceptsClient: boolean, accepted?: 'True' | 'False'): ManagedCluster => ({
  metadata: { name: 'c1' },
  spec: { hubAcceptsClient },
  status: {
    conditions: accepted
      ? [
          {
            type: 'HubAcceptedManagedCluster',
            status: accepted,
            reason: 'R',
            message: '',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ]
      : [],
  },
});

describe('the order in which hubs are tried', () => {
  it('is the one that they are given in', () => expect(tryingOrder(hubs, {})).toEqual([0, 1, 2, 3]));
  it('has the hub of the stored credentials first', () => {
    expect(tryingOrder(hubs, { stored: 'b' })).toEqual([1, 0, 2, 3]);
  });
  it('has the hub that was left last, also if the stored credentials are from there', () => {
    expect(tryingOrder(hubs, { stored: 'a', avoid: 'a' })).toEqual([1, 2, 3, 0]);
  });
  it('leaves none out', () => {
    const server = fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined });
    fc.assert(
      fc.property(fc.array(fc.record({ server })), server, server, (candidates, stored, avoid) => {
        const order = tryingOrder(candidates, { stored, avoid });
        expect([...order].sort((a, b) => a - b)).toEqual(candidates.map((_, index) => index));
      }),
    );
  });
});

describe('a cluster', () => {
  it.each([
    [true, 'True', false],
    [true, undefined, false],
    [false, 'True', true],
    [false, 'False', true],
    [false, undefined, false],
  ] as const)('with hubAcceptsClient %s and HubAccepted %s is denied: %s', (accepts, condition, denied) => {
    expect(isDenied(cluster(accepts, condition))).toBe(denied);
  });
});

describe('[registration-agent 19.11-123] a hub with a timeout of 5 s', () => {
  const timeoutMs = 5000;
  it.each([
    ['answered 2 s ago', 60_000, 58_000, false],
    ['answered 6 s ago', 60_000, 54_000, true],
    ['never answered, 9 s after the start', 9000, undefined, false],
    ['last answered in an earlier life, 9 s after the start', 9000, -100_000, false],
    ['never answered, 10 s after the start', 10_000, undefined, true],
  ])('that %s', (_, now, contactMs, expected) => {
    const startedAt = new FakeClock().monotonic();
    const lastContactAt = contactMs === undefined ? undefined : timeAfter(startedAt, contactMs);
    expect(isLost({ startedAt, lastContactAt, timeoutMs }, timeAfter(startedAt, now))).toBe(expected);
  });
});

describe('the watch over a hub', () => {
  const start = (offers: (now: number) => HubOffer) => {
    const clock = new FakeClock();
    const end = new AbortController();
    const lost: { message: string; afterMs: number }[] = [];
    const startedAt = clock.now();
    let checks = 0;
    const watch = watchHub({
      timeoutMs: 600_000,
      check: async () => {
        checks += 1;
        return offers(clock.now() - startedAt);
      },
      onLost: (message) => lost.push({ message, afterMs: clock.now() - startedAt }),
      clock,
      log: silentLogger,
      signal: end.signal,
    });
    return { clock, watch, lost, end, checks: () => checks };
  };
  const dead: HubOffer = { kind: 'unavailable', message: 'no route' };
  const open: HubOffer = { kind: 'open' };

  it('[registration-agent 19.11-122] leaves a hub that denies the cluster, and no other', () => {
    const { watch, lost } = start(() => open);
    watch.observed(cluster(true, 'True'));
    expect(lost).toEqual([]);
    watch.observed(cluster(false, 'True'));
    watch.observed(cluster(false, 'False'));
    expect(lost).toEqual([{ message: 'the hub does not accept the cluster any more', afterMs: 0 }]);
  });

  it('leaves a hub that was silent for the timeout, and says so once', async () => {
    const { clock, lost } = start(() => dead);
    await clock.advance(599_000);
    expect(lost).toEqual([]);
    await clock.advance(3_600_000);
    expect(lost).toEqual([{ message: 'the hub did not answer for 600 s: no route', afterMs: 600_000 }]);
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['forward', 24 * 3_600_000],
    ['back', -24 * 3_600_000],
  ])('goes by what has passed, and not by a wall clock that is set %s', async (_direction, ms) => {
    const { clock, lost } = start(() => dead);
    await clock.advance(300_000);
    clock.jump(ms);
    await clock.advance(299_000);
    expect(lost).toEqual([]);
    await clock.advance(61_000);
    expect(lost).toHaveLength(1);
  });

  it('does not ask a hub that takes heartbeats', async () => {
    const { clock, watch, checks } = start(() => dead);
    for (let minute = 0; minute < 30; minute += 1) {
      await clock.advance(59_000);
      watch.contacted();
      await clock.advance(1000);
    }
    expect(checks()).toBe(0);
  });

  it('stays with a hub that answers, although it takes no heartbeats, and counts from its last answer', async () => {
    const { clock, lost } = start((now) => (now <= 3_600_000 ? open : dead));
    await clock.advance(3_600_000 + 599_000);
    expect(lost).toEqual([]);
    await clock.advance(60_000);
    expect(lost).toHaveLength(1);
  });

  it('moves on at once when it is denied while it asks to join', async () => {
    const { clock, lost } = start(() => ({ kind: 'denied', message: 'hub does not accept client' }));
    await clock.advance(60_000);
    expect(lost).toEqual([{ message: 'hub does not accept client', afterMs: 60_000 }]);
  });

  it('ends with the connection', async () => {
    const { clock, end, lost } = start(() => dead);
    end.abort();
    await clock.advance(3_600_000);
    expect(lost).toEqual([]);
  });
});
