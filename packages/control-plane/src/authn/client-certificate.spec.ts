import { once } from 'node:events';
import { connect, constants } from 'node:http2';
import { Agent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { type Clock, realClock, silentLogger } from '@flotilla/kube';
import { createAuthority, issueCertificate, type KeyPair } from '@flotilla/kube/pki';
import { FakeClock } from '@flotilla/kube/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthServer } from '../../fixtures/auth-server.ts';
import { type HttpServer, serveHttps } from '../server/http-server.ts';
import { type ControlPlanePki, createPki } from './pki/control-plane-pki.ts';
import { memoryKeyStore } from './pki/key-store.ts';

const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const headers = { 'content-type': 'application/json' };
const minuteMs = 60_000;
const authorization = { authorization: 'Bearer secret' };
let pki: ControlPlanePki;
let server: HttpServer;
beforeAll(async () => {
  pki = await createPki({ store: memoryKeyStore(), clock: realClock });
  server = await serve(realClock);
});
afterAll(() => server.close());

async function serve(clock: Clock): Promise<HttpServer> {
  const { handler } = createAuthServer({ secret: { name: 'token-user', groups: [] } });
  const { certificate, key } = pki.serving;
  const clientCa = pki.authority.certificate;
  return serveHttps({ handler, host: '127.0.0.1', port: 0, certificate, key, clientCa, clock, log: silentLogger });
}

const tls = (pair?: KeyPair) => ({
  ca: pki.authority.certificate,
  ...(pair && { cert: pair.certificate, key: pair.key }),
});

/** One connection to a server. */
interface TestConnection extends Disposable {
  /** Who the server says that the sender is. */
  whoami(sent: object): Promise<object>;
}

function http2Connection(port: number, pair?: KeyPair): TestConnection {
  const session = connect(`https://127.0.0.1:${port}`, tls(pair));
  return {
    whoami(sent) {
      const stream = session.request({
        [constants.HTTP2_HEADER_METHOD]: 'POST',
        [constants.HTTP2_HEADER_PATH]: path,
        ...headers,
        ...sent,
      });
      stream.end('{}');
      return text(stream).then(JSON.parse);
    },
    [Symbol.dispose]: () => session.close(),
  };
}

function http1Connection(port: number, pair?: KeyPair): TestConnection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ...tls(pair) });
  const sockets = new Set<unknown>();
  return {
    async whoami(sent) {
      const all = { ...headers, ...sent };
      const request = httpsRequest({ host: '127.0.0.1', port, method: 'POST', path, headers: all, agent });
      request.end('{}');
      const [response] = await once(request, 'response');
      sockets.add(request.socket);
      if (sockets.size > 1) throw new Error('the request went over another connection');
      return JSON.parse(await text(response));
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

describe.each([
  ['HTTP/2', http2Connection],
  ['HTTP/1.1', http1Connection],
])('over %s', (_, open) => {
  async function whoami(pair?: KeyPair, sent: object = authorization): Promise<object> {
    using connection = open(server.port, pair);
    return await connection.whoami(sent);
  }

  test('a client certificate says who its holder is, before any token', async () => {
    const groups = ['devs', 'ops'];
    const jane = await issueCertificate(pki.authority, { usage: 'client', name: 'jane', groups }, realClock);
    expect(await whoami(jane)).toMatchObject({
      status: {
        userInfo: {
          username: 'jane',
          groups: ['devs', 'ops', 'system:authenticated'],
          extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/)] },
        },
      },
    });
  });

  const tokenUser = { status: { userInfo: { username: 'token-user' } } };
  test('a certificate of another authority, or one for servers, is ignored, and the token counts', async () => {
    const otherAuthority = await createAuthority('other', realClock);
    const fake = await issueCertificate(
      otherAuthority,
      { usage: 'client', name: 'admin', groups: ['system:masters'] },
      realClock,
    );
    expect(await whoami(fake)).toMatchObject(tokenUser);
    expect(await whoami(pki.serving)).toMatchObject(tokenUser);
    expect(await whoami()).toMatchObject(tokenUser);
  });

  test('a certificate that ends while its connection lives is refused from then on, and a token counts', async () => {
    const clock = new FakeClock(realClock.now());
    const shortLived = await serve(clock);
    await using _server = { [Symbol.asyncDispose]: () => shortLived.close() };
    const jane = await issueCertificate(
      pki.authority,
      { usage: 'client', name: 'jane', ttlMs: 10 * minuteMs },
      realClock,
    );
    using connection = open(shortLived.port, jane);
    const isJane = { status: { userInfo: { username: 'jane' } } };
    clock.jump(9 * minuteMs);
    expect(await connection.whoami({})).toMatchObject(isJane);
    clock.jump(2 * minuteMs);
    expect(await connection.whoami({})).toMatchObject({ code: 401, reason: 'Unauthorized' });
    expect(await connection.whoami(authorization)).toMatchObject(tokenUser);
  });

  test('an impersonated group may contain a comma, and each line of a repeated header is one', async () => {
    const sent = {
      'impersonate-user': 'jane',
      'impersonate-group': ['a, b', 'c'],
      'impersonate-extra-scopes': ['view, edit', 'list'],
    };
    expect(await whoami(pki.admin, sent)).toMatchObject({
      status: {
        userInfo: {
          username: 'jane',
          groups: ['a, b', 'c', 'system:authenticated'],
          extra: { scopes: ['view, edit', 'list'] },
        },
      },
    });
  });

  test('a certificate that does not verify does not make a request anonymous, and no certificate does', async () => {
    const otherAuthority = await createAuthority('other', realClock);
    const fake = await issueCertificate(otherAuthority, { usage: 'client', name: 'jane' }, realClock);
    expect(await whoami(fake, {})).toMatchObject({ code: 401 });
    expect(await whoami(undefined, {})).toMatchObject({ code: 403 });
  });
});
