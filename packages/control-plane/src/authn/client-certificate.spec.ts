import { once } from 'node:events';
import { connect, constants } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { realClock, silentLogger } from '@flotilla/kube';
import { createAuthority, issueCertificate, type KeyPair } from '@flotilla/kube/pki';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthServer } from '../../fixtures/auth-server.ts';
import { type HttpServer, serveHttps } from '../server/http-server.ts';
import { type ControlPlanePki, createPki } from './pki/control-plane-pki.ts';
import { memoryKeyStore } from './pki/key-store.ts';

const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const headers = { 'content-type': 'application/json' };
const authorization = { authorization: 'Bearer secret' };
let pki: ControlPlanePki;
let server: HttpServer;
beforeAll(async () => {
  pki = await createPki({ store: memoryKeyStore(), clock: realClock });
  const { handler } = createAuthServer({ secret: { name: 'token-user', groups: [] } });
  const { certificate, key } = pki.serving;
  const clientCa = pki.authority.certificate;
  server = await serveHttps({
    handler,
    host: '127.0.0.1',
    port: 0,
    certificate,
    key,
    clientCa,
    clock: realClock,
    log: silentLogger,
  });
});
afterAll(() => server.close());

const tls = (pair?: KeyPair) => ({
  ca: pki.authority.certificate,
  ...(pair && { cert: pair.certificate, key: pair.key }),
});

async function overHttp2(pair?: KeyPair, sent: object = authorization): Promise<object> {
  const session = connect(`https://127.0.0.1:${server.port}`, tls(pair));
  try {
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: path,
      ...headers,
      ...sent,
    });
    stream.end('{}');
    return JSON.parse(await text(stream));
  } finally {
    session.close();
  }
}

async function overHttp1(pair?: KeyPair, sent: object = authorization): Promise<object> {
  const request = httpsRequest({
    host: '127.0.0.1',
    port: server.port,
    method: 'POST',
    path,
    headers: { ...headers, ...sent },
    agent: false,
    ...tls(pair),
  });
  request.end('{}');
  const [response] = await once(request, 'response');
  return JSON.parse(await text(response));
}

describe.each([
  ['HTTP/2', overHttp2],
  ['HTTP/1.1', overHttp1],
])('over %s', (_, whoami) => {
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
  test("a certificate of another authority, or one for servers, is nobody's, and the token counts", async () => {
    const stranger = await createAuthority('stranger', realClock);
    const fake = await issueCertificate(
      stranger,
      { usage: 'client', name: 'admin', groups: ['system:masters'] },
      realClock,
    );
    expect(await whoami(fake)).toMatchObject(tokenUser);
    expect(await whoami(pki.serving)).toMatchObject(tokenUser);
    expect(await whoami()).toMatchObject(tokenUser);
  });

  test('a certificate that does not verify is no way to be anonymous, and none at all is', async () => {
    const stranger = await createAuthority('stranger', realClock);
    const fake = await issueCertificate(stranger, { usage: 'client', name: 'jane' }, realClock);
    expect(await whoami(fake, {})).toMatchObject({ code: 401 });
    expect(await whoami(undefined, {})).toMatchObject({ code: 403 });
  });
});
