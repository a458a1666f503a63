import { KubeError } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { type CloudEvent, Extension } from '../event/cloud-event.ts';
import { dataTypes } from '../event/data-type.ts';
import { heartbeatType } from '../event/event-type.ts';
import { Broker } from './broker.ts';

const event = (id: string, version = '1'): CloudEvent => ({
  id: `${id}-${version}`,
  source: 'kube',
  type: 'coordination.k8s.io.v1.leases.spec.update_request',
  extensions: { [Extension.ClusterName]: 'cluster1', [Extension.ResourceId]: id, [Extension.ResourceVersion]: version },
});

/** A broker of leases with one subscriber that reads when the spec says so. */
function play(options: { heartbeatMs?: number; maxQueued?: number } = {}) {
  const clock = new FakeClock();
  const service = { dataType: dataTypes.leases, list: () => [], handle: async () => {} };
  const broker = new Broker([service], { clock, maxQueued: 3, ...options });
  const written: string[] = [];
  const ended: (Error | undefined)[] = [];
  let isReading = true;
  let drain = () => {};
  const subscription = broker.subscribe(dataTypes.leases, 'cluster1', {
    write(each) {
      written.push(each.type === heartbeatType ? 'heartbeat' : each.id);
      return isReading;
    },
    onDrain: (callback) => (drain = callback),
    end: (error) => ended.push(error),
  });
  return {
    broker,
    clock,
    written,
    ended,
    subscription,
    read: (reading: boolean) => {
      isReading = reading;
      if (reading) drain();
    },
  };
}

describe('an announcement', () => {
  it('goes to the streams of its data type that are open, and to others when they open', () => {
    const it = play();
    const open = (cluster: string) => {
      const read: string[] = [];
      it.broker.subscribe(dataTypes.leases, cluster, {
        write: ({ id }) => read.push(id) > 0,
        onDrain: () => {},
        end: () => {},
      });
      return read;
    };
    const early = open('cluster2');
    it.broker.announce(dataTypes.managedClusters, { ...event('of another type'), id: 'of another type' });
    it.broker.announce(dataTypes.leases, { ...event('x'), id: 'first' });
    it.broker.announce(dataTypes.leases, { ...event('x'), id: 'second' });
    expect(early).toEqual(['first', 'second']);
    expect(open('cluster3')).toEqual(['second']);
  });
});

describe('heartbeats of several streams', () => {
  it('come at once for a cluster, so that one packet carries them, and apart for clusters that came apart', async () => {
    const { broker, clock } = play({ heartbeatMs: 10_000 });
    const beats: string[] = [];
    const open = (cluster: string) =>
      broker.subscribe(dataTypes.leases, cluster, {
        write: ({ id }) => beats.push(`${cluster} ${clock.monotonic()} ${id}`) > 0,
        onDrain: () => {},
        end: () => {},
      });
    const first = open('a');
    await clock.advance(4000);
    open('a');
    const other = open('b');
    await clock.advance(10_000);
    const [begin, ...rest] = beats.map((beat) => beat.split(' '));
    expect(rest[0]).toEqual(begin);
    expect(rest.map(([cluster]) => cluster)).toEqual(['a', 'b']);
    expect(Number(rest[1]?.[1]) - Number(begin?.[1])).toBe(4000);
    first.stop();
    other.stop();
    await clock.advance(10_000);
    expect(beats.slice(3).map((beat) => beat.split(' ')[0])).toEqual(['a']);
  });
});

describe('a reader that is behind', () => {
  it('gets the newest state of each object, in the place of the older one', () => {
    const it = play();
    it.read(false);
    it.broker.send(dataTypes.leases, event('first'));
    for (const each of [event('a'), event('b'), event('a', '2'), event('c'), event('b', '2')]) {
      it.broker.send(dataTypes.leases, each);
    }
    expect(it.written).toEqual(['first-1']);
    it.read(true);
    expect(it.written).toEqual(['first-1', 'a-2', 'b-2', 'c-1']);
  });

  it('is sent away for a resync when it is too many objects behind', () => {
    const it = play();
    it.read(false);
    for (const id of ['sent', 'a', 'b', 'c']) it.broker.send(dataTypes.leases, event(id));
    expect(it.ended).toEqual([]);
    it.broker.send(dataTypes.leases, event('d'));
    expect(it.ended).toMatchObject([{ code: 'TooManyRequests' }]);
    it.read(true);
    expect(it.written).toEqual(['sent-1']);
  });

  it('does not hold up another one', () => {
    const it = play();
    it.read(false);
    const others: string[] = [];
    it.broker.subscribe(dataTypes.leases, 'cluster1', {
      write: ({ id }) => others.push(id) > 0,
      onDrain() {},
      end() {},
    });
    for (const version of ['1', '2', '3']) it.broker.send(dataTypes.leases, event('a', version));
    expect(others).toEqual(['a-1', 'a-2', 'a-3']);
  });
});

describe('an event that is made later', () => {
  it('is made when its reader is ready, once for all changes of its object until then', () => {
    const it = play();
    const made: string[] = [];
    const later = (id: string, version = '1') =>
      it.broker.sendObject(dataTypes.leases, 'cluster1', {
        id,
        event() {
          made.push(`${id}-${version}`);
          return id === 'gone' ? undefined : event(id, version);
        },
      });
    it.read(false);
    for (const each of ['first', 'gone', 'a']) later(each);
    later('a', '2');
    later('b');
    expect(made).toEqual(['first-1']);
    it.read(true);
    expect(made).toEqual(['first-1', 'gone-1', 'a-2', 'b-1']);
    expect(it.written).toEqual(['first-1', 'a-2', 'b-1']);
  });
});

describe('heartbeats', () => {
  it('come at each interval, the first after one, and end with the stream [grpc-cloudevents 26.2-11, 26.2-14]', async () => {
    const it = play({ heartbeatMs: 10_000 });
    await it.clock.advance(9_999);
    expect(it.written).toEqual([]);
    await it.clock.advance(20_001);
    expect(it.written).toEqual(['heartbeat', 'heartbeat', 'heartbeat']);
    it.subscription.stop();
    expect(it.clock.pending).toBe(0);
    expect(it.broker.subscribers).toBe(0);
  });

  it('do not come if they are switched off [grpc-cloudevents 26.2-12]', async () => {
    const it = play();
    await it.clock.advance(3_600_000);
    it.broker.send(dataTypes.leases, event('a'));
    expect(it.written).toEqual(['a-1']);
  });

  it('do not pile up for a reader that is behind', async () => {
    const it = play({ heartbeatMs: 10_000 });
    it.read(false);
    await it.clock.advance(3_600_000);
    expect(it.written).toEqual(['heartbeat']);
  });
});

describe('a broker', () => {
  it('refuses a resync while a cache is not filled, instead of reporting all objects as deleted', async () => {
    const list = () => {
      throw new KubeError('Unavailable', 'the cache of leases is not filled yet');
    };
    const broker = new Broker([{ dataType: dataTypes.leases, list, handle: async () => {} }], {
      clock: new FakeClock(),
      maxQueued: 1,
    });
    const resync = {
      ...event('a'),
      type: 'coordination.k8s.io.v1.leases.spec.resync_request',
      data: new TextEncoder().encode('{"resourceVersions":[]}'),
    };
    await expect(broker.publish(resync, 'caller', 'a')).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('says on the stream that the answers to a resync are complete, by a heartbeat with its id', async () => {
    const it = play();
    const data = new TextEncoder().encode('{"resourceVersions":[{"resourceID":"gone","resourceVersion":1}]}');
    const ids: string[] = [];
    it.broker.subscribe(dataTypes.leases, 'cluster1', {
      write: ({ id, type }) => ids.push(type === heartbeatType ? id : type) > 0,
      onDrain() {},
      end() {},
    });
    const type = 'coordination.k8s.io.v1.leases.spec.resync_request';
    await it.broker.publish({ ...event('a'), id: 'request-1', type, data }, undefined, 'a');
    expect(ids).toEqual(['coordination.k8s.io.v1.leases.spec.resync_response', 'request-1']);
  });

  it('refuses what it has no service for', async () => {
    const it = play();
    const other = { ...event('a'), type: 'events.k8s.io.v1.events.spec.create_request' };
    await expect(it.broker.publish(other, undefined, 'a')).rejects.toMatchObject({ code: 'BadRequest' });
  });

  it('ends all streams when it closes', () => {
    const it = play();
    it.broker.close(new KubeError('Unavailable', 'the server stops'));
    expect(it.ended).toMatchObject([{ code: 'Unavailable' }]);
    it.broker.send(dataTypes.leases, event('a'));
    expect(it.written).toEqual([]);
  });
});
