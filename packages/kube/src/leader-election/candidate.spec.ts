import { beforeEach, describe, expect, it } from 'vitest';
import { KubeError } from '../errors/kube-error.ts';
import type { FakeApi } from '../testing/fake-api.ts';
import type { FakeClock } from '../testing/fake-clock.ts';
import { createElection, type Election } from './fixtures/candidates.ts';

let clock: FakeClock;
let api: FakeApi;
let candidate: Election['candidate'];
let stored: Election['stored'];
let writes: Election['writes'];

beforeEach(() => {
  ({ clock, api, candidate, stored, writes } = createElection());
});

describe('an election', () => {
  it('lets the first candidate create the lease and lead at once', async () => {
    const first = candidate('first');
    await clock.settle();
    expect(first.state.leading).toBe(true);
    expect(stored().spec).toMatchObject({ holderIdentity: 'first', leaseDurationSeconds: 15, leaseTransitions: 0 });
    first.stop.abort();
    expect(await first.ended).toBe('canceled');
  });

  it('marks every request about the lease as critical', async () => {
    const first = candidate('first');
    const second = candidate('second');
    await clock.advance(20_000);
    expect(new Set(api.requests.map(({ priority }) => priority))).toEqual(new Set(['critical']));
    first.stop.abort();
    second.stop.abort();
    await Promise.all([first.ended, second.ended]);
  });

  it('keeps one leader over a long time, renewing every retry period', async () => {
    const first = candidate('first');
    await clock.settle();
    const second = candidate('second');
    await clock.advance(60_000);
    expect([first.state.leading, second.state.leading]).toEqual([true, false]);
    expect(writes()).toHaveLength(1 + 30);
    expect(stored().spec?.renewTime).toBe('2026-01-01T00:01:00.000000Z');
    first.stop.abort();
    second.stop.abort();
    expect(await Promise.all([first.ended, second.ended])).toEqual(['canceled', 'canceled']);
  });

  it('hands the lease over at once when the leader leaves', async () => {
    const first = candidate('first');
    await clock.settle();
    const second = candidate('second');
    await clock.advance(5000);
    first.stop.abort();
    await clock.settle();
    expect(second.state.leading).toBe(true);
    expect(stored().spec).toMatchObject({ holderIdentity: 'second', leaseTransitions: 1 });
    second.finish();
    expect(await second.ended).toBe('finished');
    expect(stored().spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 1 });
  });

  it('does not hand back before the work has ended, and renews until then', async () => {
    let finish = () => {};
    const first = candidate('first', { onStartedLeading: () => new Promise<void>((resolve) => (finish = resolve)) });
    const second = candidate('second');
    await clock.settle();
    first.stop.abort();
    await clock.advance(60_000);
    expect(stored().spec?.holderIdentity).toBe('first');
    expect(second.state.leading).toBe(false);
    finish();
    await clock.settle();
    expect(second.state.leading).toBe(true);
    second.stop.abort();
    await Promise.all([first.ended, second.ended]);
  });

  it('takes over after the lease duration when the leader dies', async () => {
    api.storage.create('apis/coordination.k8s.io/v1/leases', {
      metadata: { namespace: 'hub', name: 'lock' },
      // A clock far ahead of ours must not keep us waiting, nor one far behind let us take it early.
      spec: {
        holderIdentity: 'go-process',
        leaseDurationSeconds: 15,
        renewTime: '2031-01-01T00:00:00.000000Z',
        leaseTransitions: 7,
      },
    });
    const seen: string[] = [];
    const us = candidate('us', { onNewLeader: (holder) => seen.push(holder) });
    await clock.advance(14_999);
    expect(us.state.leading).toBe(false);
    await clock.advance(1);
    expect(us.state.leading).toBe(true);
    expect(seen).toEqual(['go-process']);
    expect(stored().spec).toMatchObject({ holderIdentity: 'us', leaseTransitions: 8 });
    us.stop.abort();
    await us.ended;
  });

  it('takes over at once from a leader that is certainly gone', async () => {
    api.storage.create('apis/coordination.k8s.io/v1/leases', {
      metadata: { namespace: 'hub', name: 'lock' },
      spec: { holderIdentity: 'killed', leaseDurationSeconds: 137, renewTime: '2026-01-01T00:00:00.000000Z' },
    });
    const us = candidate('us', { isHolderGone: (holder) => holder === 'killed' });
    await clock.settle();
    expect(us.state.leading).toBe(true);
    expect(stored().spec).toMatchObject({ holderIdentity: 'us', leaseTransitions: 1 });
    us.stop.abort();
    await us.ended;
  });

  it('keeps waiting when the watch is silent but the lease was renewed', async () => {
    const first = candidate('first');
    await clock.settle();
    const second = candidate('second');
    await clock.settle();
    for (const stream of api.streams) stream.push = () => {}; // Black-holed.
    await clock.advance(40_000);
    expect([first.state.leading, second.state.leading]).toEqual([true, false]);
    first.stop.abort();
    second.stop.abort();
    await Promise.all([first.ended, second.ended]);
  });

  it('polls every retry period if it cannot watch', async () => {
    const first = candidate('first');
    await clock.settle();
    api.before = ({ path }) => {
      if (path.includes('watch=true')) throw new KubeError('Forbidden', 'no watch');
    };
    const second = candidate('second');
    await clock.advance(6000);
    expect(api.requests.filter(({ path }) => path.includes('watch=true'))).toHaveLength(1);
    first.stop.abort();
    await clock.advance(2000);
    expect(second.state.leading).toBe(true);
    second.stop.abort();
    await Promise.all([first.ended, second.ended]);
  });

  it('lets exactly one of many win a released lease', async () => {
    const first = candidate('first');
    await clock.settle();
    const others = Array.from({ length: 8 }, (_, index) => candidate(`other-${index}`));
    await clock.settle();
    first.stop.abort();
    await clock.settle();
    expect(others.filter(({ state }) => state.leading)).toHaveLength(1);
    for (const other of others) other.stop.abort();
    await Promise.all(others.map(({ ended }) => ended));
    expect(others.reduce((sum, { state }) => sum + state.starts, 0)).toBe(1);
  });
});
