import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type SecureClientSessionOptions,
  type Settings,
} from 'node:http2';
import {
  type AddressInfo,
  connect as connectSocket,
  createServer,
  type Socket,
  type TcpNetConnectOpts,
} from 'node:net';
import { text } from 'node:stream/consumers';
import { KubeError, realClock, silentLogger } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createAuthServer } from '../../fixtures/auth-server.ts';
import { type ControlPlanePki, createPki } from '../authn/pki/control-plane-pki.ts';
import { memoryKeyStore } from '../authn/pki/key-store.ts';
import type { ApiHandler } from '../contracts/exchange.ts';
import { defaultLimits, type Limits } from '../limits/limits.ts';
import { type HttpServer, serveHttps } from './http-server.ts';

let pki: ControlPlanePki;
beforeAll(async () => {
  pki = await createPki({ store: memoryKeyStore(), clock: realClock });
});

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of cleanup.splice(0).reverse()) await end();
});

/** Node passes these on to its sockets. */
type ConnectOptions = SecureClientSessionOptions & Pick<TcpNetConnectOpts, 'localAddress'>;

interface TestServer {
  readonly clock: FakeClock;
  readonly port: number;
  readonly renew: HttpServer['renew'];
  connect(settings?: Settings, options?: ConnectOptions): Promise<ClientHttp2Session>;
}

async function serve(handler: ApiHandler, limits: Partial<Limits> = {}): Promise<TestServer> {
  const clock = new FakeClock();
  const { certificate, key } = pki.serving;
  const clientCa = pki.authority.certificate;
  const server: HttpServer = await serveHttps({
    handler,
    host: '127.0.0.1',
    port: 0,
    certificate,
    key,
    clientCa,
    clock,
    log: silentLogger,
    limits: { ...defaultLimits, ...limits },
  });
  cleanup.push(() => server.close());
  return {
    clock,
    port: server.port,
    renew: server.renew,
    async connect(settings = {}, options = {}) {
      const session = connect(`https://127.0.0.1:${server.port}`, { ca: clientCa, settings, ...options });
      session.on('error', () => undefined);
      cleanup.push(() => session.destroy());
      await once(session, 'remoteSettings');
      return session;
    },
  };
}

const path = '/api/v1/namespaces/default/configmaps';

function post(session: ClientHttp2Session, headers: object = {}): ClientHttp2Stream {
  const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/json', ...headers });
  stream.on('error', () => undefined);
  return stream;
}

const statusOf = async (stream: ClientHttp2Stream): Promise<number> => {
  const [headers] = await once(stream, 'response');
  stream.resume();
  return headers[':status'];
};

describe('a request whose body has not arrived', () => {
  test.each([
    ['without credentials', {}, 403],
    ['with a token that is not valid', { authorization: 'Bearer wrong' }, 401],
    ['of a user without permission', { authorization: 'Bearer secret' }, 403],
  ])('%s is refused at once, and its stream is closed', async (_, headers, status) => {
    const { handler } = createAuthServer({ secret: { name: 'bob', groups: [] } });
    const session = await (await serve(handler)).connect();
    const stream = post(session, headers);
    stream.write('{');
    expect(await statusOf(stream)).toBe(status);
    await once(stream, 'close');
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
  });
});

describe('a client without credentials that reads no answers', () => {
  test('may send no more on a stream than its window until it is refused, and all that it sends then is dropped', async () => {
    const { handler } = createAuthServer();
    const session = await (await serve(handler)).connect({ initialWindowSize: 0 });
    expect(session.remoteSettings).toMatchObject({ initialWindowSize: 16 * 1024, maxConcurrentStreams: 100 });
    const stream = post(session);
    expect(await statusOf(stream)).toBe(403);
    await new Promise((resolve) => stream.write(Buffer.alloc(1024 * 1024), resolve));
    expect(stream.closed).toBe(false);
  });

  test.each([
    ['POST', path, 403],
    ['GET', '/healthz', 200],
  ])('is cut off two seconds after the answer to %s %s', async (method, at, status) => {
    const { handler } = createAuthServer();
    const server = await serve(handler);
    const stream = post(await server.connect({ initialWindowSize: 0 }), { ':method': method, ':path': at });
    expect(await statusOf(stream)).toBe(status);
    while (server.clock.pending === 0) await server.clock.settle();
    await server.clock.advance(defaultLimits.closeGraceMs);
    await once(stream, 'close');
  });
});

test('a client with credentials may send more at once after its first request', async () => {
  const { handler } = createAuthServer({ secret: { name: 'admin', groups: ['system:masters'] } });
  const session = await (await serve(handler)).connect();
  const changed = once(session, 'remoteSettings');
  await statusOf(session.request({ ':path': path, authorization: 'Bearer secret' }));
  expect(await changed).toEqual([
    expect.objectContaining({ initialWindowSize: 256 * 1024, maxConcurrentStreams: 1000 }),
  ]);
});

test('a GET with a body is reset, although it would be a watch that does not end', async () => {
  const session = await (await serve(() => new Promise<never>(() => {}))).connect();
  const stream = session.request({ ':path': path }, { endStream: false });
  const closed = new Promise((resolve) => stream.once('close', resolve));
  stream.on('error', () => undefined);
  stream.write('{');
  await closed;
  expect(stream.rstCode).toBe(constants.NGHTTP2_PROTOCOL_ERROR);
});

test('a body beyond its limit is refused before its end, and its stream is closed', async () => {
  const { handler } = createAuthServer({ secret: { name: 'admin', groups: ['system:masters'] } });
  const session = await (await serve(handler, { maxBodyBytes: 1000 })).connect();
  const stream = post(session, { authorization: 'Bearer secret' });
  stream.write(' '.repeat(2000));
  expect(await statusOf(stream)).toBe(413);
  await once(stream, 'close');
  expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
});

describe('a body that arrives', () => {
  const { bodyGraceMs, minBodyBytesPerSecond: rate } = defaultLimits;

  /** A server that answers what it received, and the body of a request that it has begun to read. */
  async function receive(settings: Settings = {}) {
    const counted: ((bytes: number) => void)[] = [];
    const ended = Promise.withResolvers<void>();
    let received = 0;
    const { clock, connect: open } = await serve(async ({ readBody, signal }) => {
      signal.addEventListener('abort', () => ended.resolve());
      try {
        const { length } = await readBody((bytes) => {
          received += bytes;
          for (const each of counted) each(received);
        });
        return { status: 200, headers: {}, body: String(length) };
      } catch (error) {
        return { status: error instanceof KubeError ? (error.status ?? 500) : 500, headers: {}, body: 'refused' };
      }
    });
    const stream = post(await open(settings));
    const send = (bytes: number): Promise<void> =>
      new Promise((resolve) => {
        const expected = received + bytes;
        counted.push((all) => all >= expected && resolve());
        stream.write(Buffer.alloc(bytes));
      });
    return { clock, stream, send, ended: ended.promise };
  }

  test('not at all after the grace is answered with 408, and its stream is closed', async () => {
    const { clock, stream, send } = await receive();
    await send(1);
    const status = statusOf(stream);
    await clock.advance(bodyGraceMs + 1);
    expect(await status).toBe(408);
    await once(stream, 'close');
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
  });

  test('in a trickle is answered with 408, however long it trickles', async () => {
    const { clock, stream, send } = await receive();
    const status = statusOf(stream);
    for (let seconds = 0; seconds < bodyGraceMs / 1000; seconds++) {
      await send(10);
      await clock.advance(1000);
    }
    await clock.advance(1000);
    expect(await status).toBe(408);
  });

  test('at the least rate is taken after the grace too', async () => {
    const { clock, stream, send } = await receive();
    for (let seconds = 0; seconds < 20; seconds++) {
      await send(rate);
      await clock.advance(1000);
    }
    const status = statusOf(stream);
    stream.end();
    expect(await status).toBe(200);
  });

  test('too slowly, of a client that does not read the answer, is cut off after the grace', async () => {
    const { clock, stream, send, ended } = await receive({ initialWindowSize: 0 });
    await send(1);
    await clock.advance(bodyGraceMs + 1);
    await once(stream, 'response');
    while (clock.pending === 0) await clock.settle();
    await clock.advance(bodyGraceMs);
    await ended;
  });
});

test('a reader that takes nothing of an answer for a minute is cut off', async () => {
  const ended = Promise.withResolvers<void>();
  const body = 'x'.repeat(5_000_000);
  const { clock, connect: open } = await serve(async ({ signal }) => {
    signal.addEventListener('abort', () => ended.resolve());
    return { status: 200, headers: {}, body };
  });
  const stream = (await open({ initialWindowSize: 0 })).request({ ':path': path });
  stream.on('error', () => undefined);
  await once(stream, 'response');
  while (clock.pending === 0) await clock.settle();
  await clock.advance(defaultLimits.slowReaderMs);
  await ended.promise;
});

test('client certificates of a renewed authority are known on new connections', async () => {
  const next = await createPki({ store: memoryKeyStore(), clock: realClock });
  const server = await serve(async ({ certificate }) => ({
    status: 200,
    headers: {},
    body: certificate?.commonName ?? 'unknown',
  }));
  const { certificate: cert, key } = next.admin;
  const sender = async () => text((await server.connect({}, { cert, key })).request({ ':path': path }));
  expect(await sender()).toBe('unknown');
  server.renew({ ...pki.serving, clientCa: next.authority.certificate });
  expect(await sender()).toBe('kubernetes-admin');
});

describe('connections', () => {
  /** Admits the user whom the header names, and never answers a watch. */
  const authenticated: ApiHandler = async ({ headers, onAdmitted, path: asked }) => {
    try {
      if (headers.authorization) onAdmitted?.(headers.authorization);
    } catch {
      return { status: 429, headers: {}, body: '' };
    }
    if (asked === '/watch') await new Promise<never>(() => {});
    return { status: 200, headers: {}, body: '' };
  };

  async function openAs(server: TestServer, user: string): Promise<ClientHttp2Session> {
    const session = await server.connect();
    expect(await getAs(session, user)).toBe(200);
    return session;
  }

  async function getAs(session: ClientHttp2Session, user: string): Promise<number> {
    const stream = session.request({ ':path': path, authorization: user });
    const status = await statusOf(stream);
    await once(stream, 'close');
    return status;
  }

  /** The server has it when a later request of the same connection is answered. */
  async function watchAs(session: ClientHttp2Session, user: string): Promise<void> {
    session.request({ ':path': '/watch', authorization: user }).on('error', () => undefined);
    await getAs(session, user);
  }

  const areOpen = (...sessions: ClientHttp2Session[]) => sessions.every(({ destroyed }) => !destroyed);

  test('of unknown clients are closed for new ones, the oldest first; those of known clients stay', async () => {
    const server = await serve(authenticated, { maxUnauthenticatedConnections: 2 });
    const known = await openAs(server, 'a');
    const oldest = await server.connect();
    const closed = once(oldest, 'close');
    const others = [await server.connect(), await server.connect()];
    await closed;
    expect(areOpen(known, ...others)).toBe(true);
  });

  test('of unknown clients are closed at the address that has the most of them', async () => {
    const { connect: open } = await serve(authenticated, { maxUnauthenticatedConnections: 3 });
    const single = await open({}, { localAddress: '127.0.0.2' });
    const oldest = await open();
    const closed = once(oldest, 'close');
    const others = [await open(), await open()];
    await closed;
    expect(areOpen(single, ...others)).toBe(true);
  });

  test('of a user who has too many are closed for new ones, the oldest that is idle first', async () => {
    const server = await serve(authenticated, { maxConnectionsPerUser: 2 });
    const other = await openAs(server, 'b');
    const busy = await openAs(server, 'a');
    await watchAs(busy, 'a');
    const idle = await openAs(server, 'a');
    const closed = once(idle, 'close');
    const last = await openAs(server, 'a');
    await closed;
    expect(areOpen(other, busy, last)).toBe(true);
  });

  test('of a user who uses too many stay, and a new one is answered with 429', async () => {
    const server = await serve(authenticated, { maxConnectionsPerUser: 1 });
    const busy = await openAs(server, 'a');
    await watchAs(busy, 'a');
    expect(await getAs(await server.connect(), 'a')).toBe(429);
    expect(areOpen(busy)).toBe(true);
  });

  test('of the user who has the most are closed when all users together have too many', async () => {
    const server = await serve(authenticated, { maxConnections: 3, maxUnauthenticatedConnections: 1 });
    const oldest = await openAs(server, 'a');
    const second = await openAs(server, 'a');
    for (const session of [oldest, second]) await watchAs(session, 'a');
    const closed = once(oldest, 'close');
    const other = await openAs(server, 'b');
    await server.clock.advance(defaultLimits.closeGraceMs);
    await closed;
    expect(areOpen(second, other)).toBe(true);
  });

  test('are closed after a minute and a half without a request', async () => {
    const { clock, connect: open } = await serve(authenticated);
    const session = await open();
    const stream = session.request({ ':path': path });
    await text(stream);
    const closed = once(session, 'close');
    while (clock.pending === 0) await clock.settle();
    await clock.advance(defaultLimits.idleConnectionMs);
    await closed;
  });

  test('that are closed end although their client takes nothing of what was sent', async () => {
    const body = 'x'.repeat(20_000_000);
    const server = await serve(async () => ({ status: 200, headers: {}, body }), { maxConnections: 1 });
    let incoming: Socket | undefined;
    const proxy = createServer((outgoing) => {
      incoming = connectSocket(server.port, '127.0.0.1');
      for (const socket of [incoming, outgoing]) socket.on('error', () => undefined);
      incoming.pipe(outgoing).pipe(incoming);
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    cleanup.push(() => {
      proxy.close();
      incoming?.destroy();
    });
    const { port } = proxy.address() as AddressInfo;
    const settings = { initialWindowSize: 2 ** 30 };
    const stalled = connect(`https://127.0.0.1:${port}`, { ca: pki.authority.certificate, settings });
    stalled.on('error', () => undefined);
    cleanup.push(() => stalled.destroy());
    await once(stalled, 'connect');
    stalled.setLocalWindowSize(2 ** 30);
    const stream = stalled.request({ ':path': path });
    stream.on('error', () => undefined);
    await once(stream, 'response');
    incoming?.unpipe();
    incoming?.pause();
    while (server.clock.pending === 0) await server.clock.settle();
    await server.clock.advance(defaultLimits.slowReaderMs);
    await server.clock.advance(defaultLimits.idleConnectionMs);
    await server.clock.advance(defaultLimits.closeGraceMs);
    await server.connect();
  });
});
