import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants, type Settings } from 'node:http2';
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

interface TestServer {
  readonly clock: FakeClock;
  connect(settings?: Settings): Promise<ClientHttp2Session>;
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
    async connect(settings = {}) {
      const session = connect(`https://127.0.0.1:${server.port}`, { ca: clientCa, settings });
      session.on('error', () => undefined);
      cleanup.push(() => session.destroy());
      await once(session, 'connect');
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

describe('connections', () => {
  const authenticated: ApiHandler = async ({ headers, onAuthenticated }) => {
    if (headers.authorization) onAuthenticated?.();
    return { status: 200, headers: {}, body: '' };
  };

  test('of unknown clients are closed for new ones, the oldest first; those of known clients stay', async () => {
    const { connect: open } = await serve(authenticated, { maxUnauthenticatedConnections: 2 });
    const known = await open();
    await statusOf(known.request({ ':path': path, authorization: 'Bearer secret' }).end());
    const oldest = await open();
    const closed = once(oldest, 'close');
    const others = [await open(), await open()];
    await closed;
    expect([known, ...others].map((session) => session.destroyed)).toEqual([false, false, false]);
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
});
