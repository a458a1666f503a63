import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { KubeError, realClock, staticAccess } from '@flotilla/kube';
import { createAuthority, issueCertificate } from '@flotilla/kube/pki';
import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { leaseCodec } from '../codecs/codecs.ts';
import type { CloudEvent } from '../event/cloud-event.ts';
import { dataTypes } from '../event/data-type.ts';
import { createResyncRequest } from '../resync/resync-request.ts';
import { serveBroker } from './fixtures/served-broker.ts';

const lease = (name: string, resourceVersion = '1') => ({
  metadata: { name, namespace: 'cluster1', uid: `uid-${name}`, resourceVersion },
});
const leaseEvent = (name: string, resourceVersion?: string) =>
  leaseCodec.encode(lease(name, resourceVersion), {
    source: 'kube',
    now: 0,
    subresource: 'spec',
    action: 'update_request',
  });
const cluster1Leases = { clusterName: 'cluster1', dataType: dataTypes.leases };

/** What arrives on a subscription. */
function collect(client: { subscribe: ReturnType<Awaited<ReturnType<typeof serveBroker>>['client']>['subscribe'] }) {
  const names: (string | undefined)[] = [];
  const errors: KubeError[] = [];
  let subscribed = 0;
  const close = client.subscribe(cluster1Leases, {
    onSubscribed: () => (subscribed += 1),
    onEvent: (event: CloudEvent) => names.push(leaseCodec.decode(event).metadata?.name),
    onError: (error) => errors.push(error),
  });
  return { names, errors, close, subscribed: () => subscribed };
}

describe('a subscription', () => {
  it('is confirmed before any event, and receives the events of its cluster only [grpc-cloudevents 26.2-7]', async () => {
    await using served = await serveBroker();
    const stream = collect(served.client());
    await expect.poll(stream.subscribed).toBe(1);
    expect(stream.names).toEqual([]);
    const elsewhere = leaseCodec.encode(
      { metadata: { ...lease('other').metadata, namespace: 'cluster2' } },
      { source: 'kube', now: 0, subresource: 'spec', action: 'create_request' },
    );
    served.broker.send(dataTypes.leases, elsewhere);
    served.broker.send(dataTypes.leases, leaseEvent('a'));
    await expect.poll(() => stream.names).toEqual(['a']);
  });

  it('is confirmed for ten clients at once [grpc-cloudevents 26.2-8]', async () => {
    await using served = await serveBroker();
    const streams = Array.from({ length: 10 }, () => collect(served.client()));
    await expect.poll(() => streams.map(({ subscribed }) => subscribed())).toEqual(Array(10).fill(1));
    expect(served.broker.subscribers).toBe(10);
  });

  it('is opened and closed five times in a row, and leaves nothing [grpc-cloudevents 26.2-9]', async () => {
    await using served = await serveBroker();
    const client = served.client();
    for (let cycle = 0; cycle < 5; cycle += 1) {
      const stream = collect(client);
      await expect.poll(stream.subscribed).toBe(1);
      stream.close();
      expect(stream.errors).toEqual([]);
    }
    await expect.poll(() => served.broker.subscribers).toBe(0);
  });

  it.each([
    ['no cluster', { clusterName: '', dataType: dataTypes.leases }, /missing cluster name/],
    [
      'a cluster that cannot be one',
      { clusterName: 'x'.repeat(64), dataType: dataTypes.leases },
      /invalid subscription request: cluster name is \\?"x+\\?", and must be the name of a cluster/,
    ],
    [
      'a data type that is none',
      { clusterName: 'a', dataType: { group: '', version: '', resource: 'x' } },
      /invalid subscription request: invalid data type/,
    ],
    ['a data type that is not served', { clusterName: 'a', dataType: dataTypes.events }, /is not served/],
  ])('is refused with %s [grpc-cloudevents 26.2-10]', async (_, request, message) => {
    await using served = await serveBroker();
    const error = await new Promise<KubeError>((onError) =>
      served.client().subscribe(request, { onSubscribed() {}, onEvent() {}, onError }),
    );
    expect(error).toMatchObject({ code: 'BadRequest', message: expect.stringMatching(message) });
  });

  it('ends with the reason of the server where it is denied [grpc-cloudevents 26.2-18]', async () => {
    const denied = new KubeError('Forbidden', 'access denied: cluster1 is not accepted');
    await using served = await serveBroker({ authorizer: { subscribe: () => Promise.reject(denied) } });
    const stream = collect(served.client());
    await expect.poll(() => stream.errors[0]?.code).toBe('Forbidden');
    expect(stream.errors[0]?.message).toContain('cluster1 is not accepted');
    expect(stream.subscribed()).toBe(0);
  });

  it('ends when its right is revoked', async () => {
    const revoke = new AbortController();
    await using served = await serveBroker({ authorizer: { subscribe: async () => ({ revoked: revoke.signal }) } });
    const stream = collect(served.client());
    await expect.poll(stream.subscribed).toBe(1);
    revoke.abort(new KubeError('Unauthorized', 'the certificate has expired'));
    await expect.poll(() => stream.errors[0]?.code).toBe('Unauthorized');
  });

  it('receives heartbeats between events, which its reader does not see [grpc-cloudevents 26.2-11, 26.2-17]', async () => {
    await using served = await serveBroker({ heartbeatMs: 20 });
    const stream = collect(served.client({ heartbeatTimeoutMs: 60_000 }));
    await expect.poll(stream.subscribed).toBe(1);
    await realClock.sleep(100);
    served.broker.send(dataTypes.leases, leaseEvent('a'));
    await expect.poll(() => stream.names).toEqual(['a']);
    expect(stream.errors).toEqual([]);
  });

  it('gets the newest state of each object after its reader was behind', async () => {
    await using served = await serveBroker();
    const versions: (string | undefined)[] = [];
    let subscribed = false;
    served.client().subscribe(cluster1Leases, {
      onSubscribed: () => (subscribed = true),
      onEvent: (event) => versions.push(leaseCodec.decode(event).metadata?.resourceVersion),
    });
    await expect.poll(() => subscribed).toBe(true);
    // All in one turn of the loop: nothing can be sent in between.
    for (let version = 1; version <= 5000; version += 1) {
      served.broker.send(dataTypes.leases, leaseEvent('a', String(version)));
    }
    await expect.poll(() => versions.at(-1)).toBe('5000');
    expect(versions.length).toBeLessThan(100);
  });

  it('is ended for a resync when its reader is too many objects behind, and nothing grows', async () => {
    await using served = await serveBroker({ maxQueued: 50 });
    const stream = collect(served.client());
    await expect.poll(stream.subscribed).toBe(1);
    for (let name = 0; name < 500; name += 1) served.broker.send(dataTypes.leases, leaseEvent(`lease-${name}`));
    await expect.poll(() => stream.errors[0]?.code).toBe('TooManyRequests');
    await expect.poll(stream.subscribed).toBe(2);
  });

  it('is opened again when the server comes back [grpc-cloudevents 26.2-19]', async () => {
    const first = await serveBroker();
    const client = first.client({ reconnect: { baseMs: 50, maxMs: 50 } });
    const stream = collect(client);
    await expect.poll(stream.subscribed).toBe(1);
    await first.server.close();
    await expect.poll(() => stream.errors.length).toBeGreaterThan(0);
    const serving = await issueCertificate(first.authority, { usage: 'server', hosts: ['127.0.0.1'] }, realClock);
    await using second = await serveBroker({
      server: { port: first.server.port, tls: { ...serving, clientCa: first.authority.certificate } },
    });
    await expect.poll(stream.subscribed).toBe(2);
    second.broker.send(dataTypes.leases, leaseEvent('after'));
    await expect.poll(() => stream.names).toEqual(['after']);
    await client.close();
  });
});

describe('a server that closes', () => {
  it('does not wait for the clients that are connected', async () => {
    const served = await serveBroker();
    const client = served.client({ reconnect: { baseMs: 10, maxMs: 10 } });
    const stream = collect(client);
    await expect.poll(stream.subscribed).toBe(1);
    await served.server.close();
    await expect.poll(() => stream.errors[0]?.code).toBe('Unavailable');
    await client.close();
  });
});

describe('a server that closes while time stands still', () => {
  it('does not wait for a connection whose handshake is not over', async () => {
    const served = await serveBroker({ server: { clock: new FakeClock() } });
    const connection = connect(served.server.port, '127.0.0.1');
    await once(connection, 'connect');
    await served.server.close();
    connection.destroy();
  });

  it('does not wait for a subscription that was being authorized', async () => {
    const { promise: authorized, resolve: authorize } = Promise.withResolvers<object>();
    let asked = 0;
    const subscribe = () => {
      asked += 1;
      return authorized;
    };
    const served = await serveBroker({ server: { clock: new FakeClock() }, authorizer: { subscribe } });
    const client = served.client({ reconnect: { baseMs: 60_000, maxMs: 60_000 } });
    const stream = collect(client);
    await expect.poll(() => asked).toBe(1);
    const closing = served.server.close();
    authorize({});
    await closing;
    await expect.poll(() => stream.errors[0]?.code).toBe('Unavailable');
    expect(stream.subscribed()).toBe(0);
    await client.close();
  });
});

describe('a resync', () => {
  it('is answered on the stream', async () => {
    await using served = await serveBroker();
    served.listed = [leaseEvent('a'), leaseEvent('b')];
    const client = served.client();
    const stream = collect(client);
    await expect.poll(stream.subscribed).toBe(1);
    const known = new Map([['uid-a', 1n]]);
    const origin = { source: 'cluster1', now: 0 };
    await client.publish(createResyncRequest(origin, dataTypes.leases, { clusterName: 'cluster1', known }));
    await expect.poll(() => stream.names).toEqual(['b']);
  });
});

describe('a publish', () => {
  it('resolves when the service has handled the event', async () => {
    await using served = await serveBroker();
    await served.client().publish(leaseEvent('a'));
    expect(served.handled).toHaveLength(1);
  });

  it('is rejected with the answer of the API, and with its text where it is another error', async () => {
    const failures = [
      new KubeError('Conflict', 'changed', {
        apiStatus: { kind: 'Status', code: 409, reason: 'Conflict', message: 'the object has been modified' },
      }),
      new Error('disk full'),
    ];
    await using served = await serveBroker({ handle: () => Promise.reject(failures.shift()) });
    const client = served.client();
    await expect(client.publish(leaseEvent('a'))).rejects.toMatchObject({ code: 'Conflict', status: 409 });
    await expect(client.publish(leaseEvent('a'))).rejects.toMatchObject({
      code: 'Internal',
      message: expect.stringContaining('disk full'),
    });
  });

  it('is refused if it is too large, and the server goes on', async () => {
    await using served = await serveBroker({ server: { limits: { maxMessageBytes: 10_000 } } });
    const client = served.client();
    await expect(client.publish(leaseEvent('a'.repeat(20_000)))).rejects.toMatchObject({ code: 'TooManyRequests' });
    await client.publish(leaseEvent('a'));
  });

  it('is of the client certificate that an authority of the server signed', async () => {
    await using served = await serveBroker();
    const name = 'system:open-cluster-management:cluster1:agent';
    const pair = await issueCertificate(served.authority, { usage: 'client', name, groups: ['a'] }, realClock);
    await served.client({ access: staticAccess(served.access({ clientCertificate: pair })) }).publish(leaseEvent('a'));
    expect(served.calls[0]?.certificate?.subject).toContain(`CN=${name}`);
  });

  it('does not arrive with a certificate of another authority', async () => {
    await using served = await serveBroker();
    const other = await createAuthority('other', realClock);
    const pair = await issueCertificate(other, { usage: 'client', name: 'system:masters' }, realClock);
    const client = served.client({ access: staticAccess(served.access({ clientCertificate: pair })) });
    await expect(client.publish(leaseEvent('a'))).rejects.toMatchObject({ code: 'Unavailable' });
    expect(served.calls).toEqual([]);
  });

  it('carries the token of the client', async () => {
    await using served = await serveBroker();
    const access = staticAccess(served.access({ authorization: 'Bearer secret' }));
    await served.client({ access }).publish(leaseEvent('a'));
    expect(served.calls[0]).toMatchObject({ authorization: 'Bearer secret' });
  });
});

describe('the certificates of the server', () => {
  it('are replaced for new connections without a restart [grpc-cloudevents 26.6-57]', async () => {
    await using served = await serveBroker();
    const authority = await createAuthority('next', realClock);
    const pair = await issueCertificate(authority, { usage: 'server', hosts: ['127.0.0.1'] }, realClock);
    served.server.updateTls({ ...pair, clientCa: authority.certificate });
    await expect(served.client().publish(leaseEvent('a'))).rejects.toMatchObject({ code: 'Unavailable' });
    const access = staticAccess(served.access({ ca: authority.certificate }));
    await served.client({ access }).publish(leaseEvent('a'));
  });
});

describe('a client whose authority is removed', () => {
  const name = 'system:open-cluster-management:cluster1:agent';

  it('loses its connection; one of an authority that stays, and one with a token, do not', async () => {
    await using served = await serveBroker();
    const next = await createAuthority('next', realClock);
    const clientCa = served.authority.certificate;
    const serving = await issueCertificate(served.authority, { usage: 'server', hosts: ['127.0.0.1'] }, realClock);
    served.server.updateTls({ ...serving, clientCa: `${clientCa}\n${next.certificate}` });
    const reconnect = { baseMs: 60_000, maxMs: 60_000 };
    const connect = async (authority: typeof next | undefined) => {
      const request = { usage: 'client', name, groups: ['a'] } as const;
      const clientCertificate = authority && (await issueCertificate(authority, request, realClock));
      const access = clientCertificate ? { clientCertificate } : { authorization: 'Bearer secret' };
      const stream = collect(served.client({ access: staticAccess(served.access(access)), reconnect }));
      await expect.poll(stream.subscribed).toBe(1);
      return stream;
    };
    const removed = await connect(served.authority);
    const kept = [await connect(next), await connect(undefined)];
    served.server.updateTls({ ...serving, clientCa: next.certificate });
    await expect.poll(() => removed.errors[0]?.code).toBe('Unavailable');
    served.broker.send(dataTypes.leases, leaseEvent('a'));
    for (const stream of kept) {
      await expect.poll(() => stream.names).toEqual(['a']);
      expect(stream.errors).toEqual([]);
    }
  });
});

describe('a caller that is not admitted', () => {
  const denied = new KubeError('Unauthorized', 'the token is not valid', { status: 401 });

  it('is refused before its event is read, whatever is in it', async () => {
    await using served = await serveBroker({ authorizer: { admit: () => Promise.reject(denied) } });
    const bomb = gzipSync(Buffer.alloc(4 * 1024 * 1024));
    const { data: _none, ...lease } = leaseEvent('a');
    const event = { ...lease, extensions: { ...lease.extensions, dataencoding: 'gzip' }, data: bomb };
    await expect(served.client().publish(event)).rejects.toMatchObject({ code: 'Unauthorized' });
    const stream = collect(served.client());
    await expect.poll(() => stream.errors[0]?.code).toBe('Unauthorized');
    expect(served.calls).toEqual([]);
    expect(served.handled).toEqual([]);
  });

  it('loses its connection, as one that says nothing does, and others do not', async () => {
    let isAdmitted = true;
    const admission = { party: 'a', maxConnections: 10, turn: async () => () => {}, hold() {}, release() {} };
    const admit = async () => {
      if (!isAdmitted) throw denied;
      return admission;
    };
    const open: number[] = [];
    const observer = { connections: (count: number) => open.push(count), subscribers() {}, sent() {}, handled() {} };
    const clock = new FakeClock();
    await using served = await serveBroker({ authorizer: { admit }, server: { clock, observer } });
    const known = collect(served.client());
    await expect.poll(known.subscribed).toBe(1);
    isAdmitted = false;
    await expect(served.client().publish(leaseEvent('a'))).rejects.toMatchObject({ code: 'Unauthorized' });
    const silent = connect(served.server.port, '127.0.0.1');
    await once(silent, 'connect');
    await expect.poll(() => open.at(-1)).toBe(2);
    const closed = once(silent, 'close');
    await clock.advance(30_000);
    await closed;
    await expect.poll(() => open.at(-1)).toBe(1);
    expect(known.errors).toEqual([]);
  });

  it('has ended calls counted off, however they end', async () => {
    let underWay = 0;
    const admit = async () => {
      underWay += 1;
      const turn = async () => () => {};
      const release = () => {
        underWay -= 1;
      };
      return { party: 'a', maxConnections: 10, turn, hold() {}, release };
    };
    await using served = await serveBroker({ authorizer: { admit } });
    const client = served.client();
    const stream = collect(client);
    await expect.poll(stream.subscribed).toBe(1);
    await client.publish(leaseEvent('a'));
    await expect(client.publish({ ...leaseEvent('a'), type: 'x' })).rejects.toMatchObject({ code: 'BadRequest' });
    await expect.poll(() => underWay).toBe(1);
    stream.close();
    await expect.poll(() => underWay).toBe(0);
  });
});
