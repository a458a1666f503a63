import { beforeEach, describe, expect, it } from 'vitest';
import { KubeError } from '../errors/kube-error.ts';
import type { FakeApi } from '../testing/fake-api.ts';
import type { FakeClock } from '../testing/fake-clock.ts';
import { createElection, type Election } from './fixtures/candidates.ts';

let clock: FakeClock;
let api: FakeApi;
let candidate: Election['candidate'];
let stored: Election['stored'];

beforeEach(() => {
  ({ clock, api, candidate, stored } = createElection());
});

it('ends with a configuration error at once, because trying again cannot fix it', async () => {
  api.before = () => {
    throw new KubeError('Config', '/nonexistent cannot be read');
  };
  await expect(candidate('first').ended).rejects.toMatchObject({ code: 'Config' });
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

  it('creates a new lease if it is deleted', async () => {
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

  it('keeps the lease if it is not to be released', async () => {
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

describe('the metric', () => {
  it('distinguishes a candidate, a leader and a former leader', async () => {
    const reported: string[] = [];
    const metrics = { leader: ({ lease }: { lease: string }, is: boolean) => void reported.push(`${lease} ${is}`) };
    const other = candidate('other');
    await clock.settle();
    const first = candidate('first', { metrics });
    await clock.settle();
    expect(reported).toEqual(['hub/lock false']);
    other.finish();
    await clock.advance(2000);
    expect(reported).toEqual(['hub/lock false', 'hub/lock true']);
    first.stop.abort();
    await Promise.all([other.ended, first.ended]);
    expect(reported).toEqual(['hub/lock false', 'hub/lock true', 'hub/lock false']);
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
