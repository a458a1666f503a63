import { beforeEach, describe, expect, it } from 'vitest';
import { KubeError } from '../errors/kube-error.ts';
import { leases } from '../resources/core-kinds.ts';
import type { Lease } from '../resources/core-types.ts';
import { createKubeClient } from '../resources/kube-client.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import type { LeaderElectionOptions } from './options.ts';
import { runAsLeader } from './run-as-leader.ts';

let clock: FakeClock;
let api: FakeApi;

beforeEach(() => {
  clock = new FakeClock();
  api = new FakeApi(clock);
});

/** A candidate with its own client, so that one can be cut off while another is not. */
function candidate(identity: string, overrides: Partial<LeaderElectionOptions> = {}) {
  const client = createKubeClient({ transport: api, clock });
  const stop = new AbortController();
  const state = { leading: false, starts: 0 };
  let finish = () => {};
  const ended = runAsLeader({
    leases: client.resource(leases),
    key: 'hub/lock',
    identity,
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2000,
    signal: stop.signal,
    clock,
    random: () => 0,
    async onStartedLeading(signal) {
      state.leading = true;
      state.starts++;
      await new Promise<void>((resolve) => {
        finish = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
        if (signal.aborted) resolve();
      });
      state.leading = false;
    },
    ...overrides,
  });
  return { state, stop, ended, finish: () => finish() };
}

const stored = (): Lease => api.storage.get('apis/coordination.k8s.io/v1/leases', 'hub/lock');
const writes = () => api.calls.filter((call) => /^(POST|PUT) /.test(call));

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

  it('looks every retry period if it may not watch', async () => {
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

describe('a leader', () => {
  it('outlives failures that end before the renew deadline', async () => {
    const first = candidate('first');
    await clock.settle();
    api.before = () => {
      throw new KubeError('Unavailable', 'down');
    };
    await clock.advance(9000);
    api.before = () => {};
    await clock.advance(20_000);
    expect(first.state.leading).toBe(true);
    first.stop.abort();
    await first.ended;
  });

  it('stops at the renew deadline, before another may start', async () => {
    const first = candidate('first');
    await clock.settle();
    const second = candidate('second');
    await clock.settle();
    api.before = ({ body }) => {
      if (String(body).includes('"first"')) throw new KubeError('Unavailable', 'down');
    };
    await clock.advance(9999);
    expect(first.state.leading).toBe(true);
    await clock.advance(1);
    expect([first.state.leading, second.state.leading]).toEqual([false, false]);
    expect(await first.ended).toBe('lost');
    await clock.advance(5000);
    expect(second.state.leading).toBe(true);
    second.stop.abort();
    await second.ended;
  });

  it('stops at the renew deadline also when a request hangs', async () => {
    const first = candidate('first');
    await clock.settle();
    api.before = ({ signal }) =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(new KubeError('Canceled', 'late'))),
      );
    await clock.advance(9999);
    expect(first.state.leading).toBe(true);
    await clock.advance(1);
    expect(await first.ended).toBe('lost');
  });

  it('stops as soon as it sees another holder', async () => {
    const first = candidate('first');
    await clock.settle();
    const current = stored();
    api.storage.replace(
      'apis/coordination.k8s.io/v1/leases',
      'hub/lock',
      { ...current, spec: { ...current.spec, holderIdentity: 'thief' } },
      'object',
    );
    await clock.advance(2000);
    expect(await first.ended).toBe('lost');
    expect(stored().spec?.holderIdentity).toBe('thief');
  });

  it('keeps leading when the answer to a renewal was lost', async () => {
    const first = candidate('first');
    await clock.settle();
    let lost = 0;
    api.after = ({ method }) => {
      if (method === 'PUT' && lost++ === 0) throw new KubeError('Unavailable', 'connection lost');
    };
    await clock.advance(30_000);
    expect(lost).toBeGreaterThan(1);
    expect(first.state.leading).toBe(true);
    first.stop.abort();
    await first.ended;
  });

  it('makes a new lease if somebody deletes it', async () => {
    const first = candidate('first');
    await clock.settle();
    api.storage.delete('apis/coordination.k8s.io/v1/leases', 'hub/lock');
    await clock.advance(2000);
    expect(first.state.leading).toBe(true);
    expect(stored().spec?.holderIdentity).toBe('first');
    first.stop.abort();
    await first.ended;
  });

  it('does not wait for work that ignores the loss longer than the lease lasts', async () => {
    const first = candidate('first', { onStartedLeading: () => new Promise(() => {}) });
    await clock.settle();
    api.before = () => {
      throw new KubeError('Unavailable', 'down');
    };
    let end: string | undefined;
    void first.ended.then((value) => (end = value));
    await clock.advance(14_999);
    expect(end).toBeUndefined();
    await clock.advance(1);
    expect(end).toBe('lost');
  });

  it('throws what its work throws, after handing back', async () => {
    const first = candidate('first', {
      onStartedLeading() {
        throw new Error('bug');
      },
    });
    await expect(first.ended).rejects.toThrow('bug');
    expect(stored().spec?.holderIdentity).toBe('');
  });

  it('ends as canceled when its work obeys by throwing the reason', async () => {
    const first = candidate('first', { onStartedLeading: (signal) => clock.sleep(1e9, signal) });
    await clock.settle();
    first.stop.abort();
    expect(await first.ended).toBe('canceled');
  });

  it('keeps the lease if told not to hand it back', async () => {
    const first = candidate('first', { releaseOnCancel: false });
    await clock.settle();
    first.stop.abort();
    await first.ended;
    expect(stored().spec?.holderIdentity).toBe('first');
  });

  it('ends although the lease cannot be handed back', async () => {
    const first = candidate('first');
    await clock.settle();
    api.before = () => {
      throw new KubeError('Unavailable', 'down');
    };
    first.stop.abort();
    expect(await first.ended).toBe('canceled');
  });
});

describe('the settings', () => {
  it.each([
    ['a renew deadline as long as the lease', { renewDeadlineMs: 15_000 }, 'renew deadline'],
    ['a retry period that leaves one try', { retryPeriodMs: 9000 }, 'retry period'],
    ['an empty identity', { identity: '' }, 'identity'],
    [
      'a lease of less than a second',
      { leaseDurationMs: 500, renewDeadlineMs: 300, retryPeriodMs: 100 },
      'lease duration',
    ],
  ])('refuse %s', async (_what, overrides, named) => {
    await expect(candidate('first', overrides).ended).rejects.toThrow(named);
  });
});
