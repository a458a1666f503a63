import { beforeEach, describe, expect, it } from 'vitest';
import { KubeError } from '../errors/kube-error.ts';
import { events } from '../kinds/built-in-kinds.ts';
import type { Event } from '../kinds/built-in-types.ts';
import { createKubeClient } from '../resources/kube-client.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { createEventRecorder, type EventRecorder } from './event-recorder.ts';

const cluster = { apiVersion: 'x/v1', kind: 'ManagedCluster', metadata: { name: 'c1', namespace: 'c1', uid: 'u1' } };
const input = { reason: 'Available', note: 'is available' };

let clock: FakeClock;
let api: FakeApi;
let recorder: EventRecorder;

beforeEach(() => {
  clock = new FakeClock();
  api = new FakeApi(clock);
  const client = createKubeClient({ transport: api, clock });
  recorder = createEventRecorder({
    events: client.resource(events),
    reportingController: 'klusterlet-agent',
    reportingInstance: 'pod-1',
    clock,
    random: () => 0,
  });
});

const stored = (): (Event & { series?: { count: number } })[] =>
  api.storage.list('apis/events.k8s.io/v1/events').map((event) => ({ eventTime: '', ...event }));

describe('a recorder', () => {
  it('writes an event at once, at low priority', async () => {
    recorder.record(cluster, input);
    await clock.settle();
    expect(stored()).toMatchObject([
      { reason: 'Available', regarding: { uid: 'u1' }, reportingController: 'klusterlet-agent' },
    ]);
    expect(api.requests[0]?.priority).toBe('bulk');
  });

  it('counts repetitions instead of writing each', async () => {
    for (let index = 0; index < 100; index++) {
      recorder.record(cluster, input);
      await clock.advance(100);
    }
    await clock.advance(20_000);
    expect(stored()).toMatchObject([{ series: { count: 100, lastObservedTime: '2026-01-01T00:00:09.900000Z' } }]);
    expect(api.requests.length).toBeLessThan(6);
  });

  it('starts a new event after a long silence', async () => {
    recorder.record(cluster, input);
    await clock.advance(600_000);
    recorder.record(cluster, input);
    await clock.settle();
    expect(stored()).toHaveLength(2);
  });

  it('bounds the events of one object and leaves other objects their share', async () => {
    for (let index = 0; index < 100; index++) recorder.record(cluster, { reason: 'Spam', note: `number ${index}` });
    recorder.record({ ...cluster, metadata: { ...cluster.metadata, name: 'c2', uid: 'u2' } }, input);
    await clock.settle();
    expect(stored().filter(({ reason }) => reason === 'Spam')).toHaveLength(25);
    expect(stored().filter(({ reason }) => reason === 'Available')).toHaveLength(1);
    await clock.advance(300_000);
    recorder.record(cluster, { reason: 'Spam', note: 'later' });
    await clock.settle();
    expect(stored().filter(({ reason }) => reason === 'Spam')).toHaveLength(26);
  });

  it('tries again while the server is away, and loses no count', async () => {
    api.before = () => {
      throw new KubeError('Unavailable', 'down');
    };
    recorder.record(cluster, input);
    await clock.settle();
    recorder.record(cluster, input);
    await clock.advance(1000);
    api.before = () => {};
    await clock.advance(5000);
    expect(stored()).toMatchObject([{ series: { count: 2 } }]);
  });

  it('gives up after some tries, and writes the next occurrence', async () => {
    api.before = () => {
      throw new KubeError('Unavailable', 'down');
    };
    recorder.record(cluster, input);
    await clock.advance(600_000);
    expect(api.requests).toHaveLength(5);
    api.before = () => {};
    recorder.record(cluster, input);
    await clock.settle();
    expect(stored()).toHaveLength(1);
  });

  it('does not insist on an event that the server refuses', async () => {
    api.before = () => {
      throw new KubeError('Forbidden', 'namespace is terminating');
    };
    recorder.record(cluster, input);
    await clock.advance(60_000);
    expect(api.requests).toHaveLength(1);
  });

  it('takes an event that exists already for its own, when an answer was lost', async () => {
    let lost = false;
    api.after = () => {
      if (!lost) {
        lost = true;
        throw new KubeError('Unavailable', 'connection lost');
      }
    };
    recorder.record(cluster, input);
    await clock.advance(5000);
    expect(stored()).toHaveLength(1);
    expect(api.calls.filter((call) => call.startsWith('POST'))).toHaveLength(2);
  });

  it('writes an event anew when the server has forgotten it', async () => {
    recorder.record(cluster, input);
    await clock.settle();
    const [first] = stored();
    api.storage.delete('apis/events.k8s.io/v1/events', `c1/${first?.metadata?.name}`);
    recorder.record(cluster, input);
    await clock.advance(5000);
    expect(stored()).toMatchObject([{ series: { count: 2 } }]);
    expect(stored()[0]?.metadata?.name).not.toBe(first?.metadata?.name);
  });

  it('does not hold up the caller, nor throw, for an object that does not say what it is', async () => {
    recorder.record({ metadata: { name: 'x' } }, input);
    await clock.settle();
    expect(api.requests).toHaveLength(0);
  });
});

describe('closing a recorder', () => {
  it('sends what waits, also counts that were due later', async () => {
    recorder.record(cluster, input);
    await clock.settle();
    recorder.record(cluster, input);
    recorder.record(cluster, { reason: 'Other', note: 'n' });
    await recorder.close();
    expect(stored()).toMatchObject([{ series: { count: 2 } }, { reason: 'Other' }]);
  });

  it('ends in time although the server is away', async () => {
    api.before = () => {
      throw new KubeError('Unavailable', 'down');
    };
    for (let index = 0; index < 10; index++) recorder.record(cluster, { reason: 'Spam', note: `number ${index}` });
    let closed = false;
    void recorder.close().then(() => {
      closed = true;
    });
    await clock.advance(4999);
    expect(closed).toBe(false);
    await clock.advance(1);
    expect(closed).toBe(true);
  });

  it('lets nothing be recorded afterwards', async () => {
    await recorder.close();
    recorder.record(cluster, input);
    await clock.settle();
    expect(api.requests).toHaveLength(0);
  });
});
