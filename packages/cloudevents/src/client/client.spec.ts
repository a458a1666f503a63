import { type AccessSource, type ClusterAccess, KubeError } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { NEVER, Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { type CloudEvent, Extension } from '../event/cloud-event.ts';
import { createHeartbeat } from '../event/create-event.ts';
import { dataTypes } from '../event/data-type.ts';
import { createCloudEventsClient } from './client.ts';
import type { EventChannel, StreamHandlers } from './event-channel.ts';
import { reconnectDelayMs } from './reconnect.ts';

const event: CloudEvent = { id: '1', source: 'kube', type: 'x', extensions: { [Extension.ClusterName]: 'cluster1' } };
const request = { clusterName: 'cluster1', dataType: dataTypes.leases };

/** A client whose connections are played by the spec. */
function play() {
  const clock = new FakeClock();
  const streams: StreamHandlers[] = [];
  const channels: { closed: boolean; handlesOnce?: boolean; publish: EventChannel['publish'] }[] = [];
  let access: ClusterAccess = { server: 'https://hub:1', origin: 'a spec' };
  const changes = new Subject<void>();
  let invalidations = 0;
  const source: AccessSource = {
    current: async () => access,
    changes,
    errors: NEVER,
    invalidate: () => (invalidations += 1),
    close() {},
  };
  const client = createCloudEventsClient({
    access: source,
    clock,
    random: () => 0.5,
    open() {
      const channel: (typeof channels)[number] = { closed: false, publish: async () => {} };
      channels.push(channel);
      return {
        publish: (...args) => channel.publish(...args),
        subscribe(_, handlers) {
          streams.push(handlers);
          return () => {};
        },
        close: () => (channel.closed = true),
        get handlesOnce() {
          return channel.handlesOnce ?? false;
        },
      };
    },
  });
  const errors: KubeError[] = [];
  const received: CloudEvent[] = [];
  let subscribed = 0;
  const subscribe = () =>
    client.subscribe(request, {
      onSubscribed: () => (subscribed += 1),
      onEvent: (each) => received.push(each),
      onError: (error) => errors.push(error),
    });
  return {
    client,
    clock,
    streams,
    channels,
    errors,
    received,
    subscribe,
    subscribed: () => subscribed,
    invalidations: () => invalidations,
    change(next: Partial<ClusterAccess>) {
      access = { ...access, ...next };
      changes.next();
    },
  };
}

describe('a client that is closed', () => {
  it('ends also if its credentials are being read, and opens no stream afterwards', async () => {
    const it = play();
    it.subscribe();
    // The stream waits for the credentials at this moment.
    await it.client.close();
    await it.clock.settle();
    expect(it.streams).toEqual([]);
  });
});

describe('a stream', () => {
  it('is opened again after a wait when the server is away, and the wait grows', async () => {
    const it = play();
    it.subscribe();
    const waits: number[] = [];
    for (let failure = 0; failure < 6; failure += 1) {
      await it.clock.settle();
      it.streams.at(-1)?.onEnd(new KubeError('Unavailable', 'away'));
      const before = it.clock.monotonic();
      await it.clock.advanceToNext();
      waits.push(it.clock.monotonic() - before);
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000]);
    await it.client.close();
    expect(it.clock.pending).toBe(0);
  });

  it('waits little again after it was open', async () => {
    const it = play();
    it.subscribe();
    for (const failure of [1, 2, 3]) {
      await it.clock.settle();
      it.streams.at(-1)?.onEnd(new KubeError('Unavailable', `away ${failure}`));
      await it.clock.advanceToNext();
    }
    await it.clock.settle();
    it.streams.at(-1)?.onSubscribed();
    it.streams.at(-1)?.onEnd();
    await it.clock.advance(1000);
    expect(it.streams).toHaveLength(5);
    await it.client.close();
  });

  it('shares its wait with the other streams of the server', async () => {
    const it = play();
    it.subscribe();
    it.subscribe();
    await it.clock.settle();
    for (const stream of it.streams.slice()) stream.onEnd(new KubeError('Unavailable', 'away'));
    await it.clock.settle();
    expect(it.clock.pending).toBe(1);
    await it.clock.advance(1000);
    expect(it.streams).toHaveLength(4);
    await it.client.close();
  });

  it('that is refused does not hold up the others', async () => {
    const it = play();
    it.subscribe();
    it.subscribe();
    await it.clock.settle();
    it.streams[0]?.onEnd(new KubeError('Forbidden', 'not accepted'));
    it.streams[1]?.onSubscribed();
    it.streams[1]?.onEvent(event);
    expect(it.received).toEqual([event]);
    await it.client.close();
  });

  it('is given up when the server sends no more heartbeats [grpc-cloudevents 26.2-15, 26.2-16]', async () => {
    const it = play();
    it.subscribe();
    await it.clock.settle();
    it.streams[0]?.onSubscribed();
    for (let beat = 0; beat < 10; beat += 1) {
      it.streams[0]?.onEvent(createHeartbeat());
      await it.clock.advance(10_000);
    }
    expect(it.errors).toEqual([]);
    await it.clock.advance(20_000);
    expect(it.errors[0]?.message).toContain('stream timeout: no heartbeat received for 30 s');
    expect(it.channels[0]?.closed).toBe(true);
    await it.clock.advance(1000);
    expect(it.channels).toHaveLength(2);
    it.streams[1]?.onSubscribed();
    expect(it.subscribed()).toBe(2);
    await it.client.close();
  });

  it('is not given up if the server never sends heartbeats [grpc-cloudevents 26.2-15]', async () => {
    const it = play();
    it.subscribe();
    await it.clock.settle();
    it.streams[0]?.onSubscribed();
    await it.clock.advance(3_600_000);
    expect(it.errors).toEqual([]);
    await it.client.close();
  });

  it('is given up if the server does not confirm it', async () => {
    const it = play();
    it.subscribe();
    await it.clock.advance(10_000);
    expect(it.errors[0]?.message).toContain('did not confirm');
    await it.client.close();
  });

  it('goes over to changed credentials at once, and asks for a resync again', async () => {
    const it = play();
    it.subscribe();
    await it.clock.settle();
    it.streams[0]?.onSubscribed();
    it.change({ authorization: 'Bearer next' });
    await it.clock.settle();
    it.streams[1]?.onSubscribed();
    expect(it.subscribed()).toBe(2);
    expect(it.errors).toEqual([]);
    expect(it.channels.map(({ closed }) => closed)).toEqual([true, false]);
    await it.client.close();
  });

  it('stays where it is if the credentials are the same', async () => {
    const it = play();
    it.subscribe();
    await it.clock.settle();
    it.change({});
    await it.clock.settle();
    expect(it.channels).toHaveLength(1);
    await it.client.close();
  });
});

describe('a publish', () => {
  it('is repeated once with other credentials if the server does not know those', async () => {
    const it = play();
    await it.client.publish(event);
    const channel = it.channels[0];
    if (channel) channel.publish = () => Promise.reject(new KubeError('Unauthorized', 'expired'));
    await expect(it.client.publish(event)).rejects.toMatchObject({ code: 'Unauthorized' });
    expect(it.invalidations()).toBe(1);
    await it.client.close();
  });

  it('that runs when the credentials change comes to its end on the old connection', async () => {
    const it = play();
    await it.client.publish(event);
    let finish = () => {};
    const channel = it.channels[0];
    if (channel) channel.publish = () => new Promise((resolve) => (finish = resolve));
    const running = it.client.publish(event);
    await it.clock.settle();
    it.change({ authorization: 'Bearer next' });
    await it.clock.settle();
    expect(it.channels.map(({ closed }) => closed)).toEqual([false, false]);
    finish();
    await running;
    expect(it.channels.map(({ closed }) => closed)).toEqual([true, false]);
    await it.client.close();
  });
});

it('spreads the agents of a server over the whole wait', () => {
  const delays = Array.from({ length: 500 }, (_, index) =>
    reconnectDelayMs({ baseMs: 2000, maxMs: 30_000 }, 1, index / 500),
  );
  expect(delays.filter((ms) => ms < 500).length).toBe(125);
  expect(Math.max(...delays)).toBeLessThan(2000);
});

describe('an event whose connection was lost before the answer', () => {
  const created: CloudEvent = { ...event, type: 'events.k8s.io.v1.events.spec.create_request' };
  /** Publishes where the first attempts end like this. */
  async function publish(handlesOnce: boolean, ...failures: KubeError[]) {
    const it = play();
    const ids: string[] = [];
    it.subscribe();
    await it.clock.settle();
    const [channel] = it.channels;
    if (!channel) throw new Error('there is no connection');
    channel.handlesOnce = handlesOnce;
    channel.publish = async ({ id }) => {
      ids.push(id);
      const failure = failures.shift();
      if (failure) throw failure;
    };
    const outcome = await it.client.publish(created).then(
      () => 'published',
      (error: unknown) => KubeError.from(error).code,
    );
    await it.client.close();
    return { outcome, ids };
  }
  const lost = new KubeError('Unavailable', 'the connection was lost');
  const exists = new KubeError('AlreadyExists', 'exists', { status: 409 });

  it('is published again with its id to a server that handles it once', async () => {
    expect(await publish(true, lost)).toEqual({ outcome: 'published', ids: ['1', '1'] });
  });

  it('is published if another replica finds what the first attempt created', async () => {
    expect(await publish(true, lost, exists)).toEqual({ outcome: 'published', ids: ['1', '1'] });
  });

  it('fails if the server is away', async () => {
    expect(await publish(true, lost, lost)).toEqual({ outcome: 'Unavailable', ids: ['1', '1'] });
  });

  it('fails at once with a server of OCM, which would handle it twice', async () => {
    expect(await publish(false, lost)).toEqual({ outcome: 'Unavailable', ids: ['1'] });
  });

  it('fails at once if the server refused it', async () => {
    expect(await publish(true, exists)).toEqual({ outcome: 'AlreadyExists', ids: ['1'] });
  });
});
