import { describe, expect, test } from 'vitest';
import { type AuthServer, admin, createAuthServer, grant } from '../../fixtures/auth-server.ts';

const root = '/apis/authentication.k8s.io/v1';
const issuer = 'https://kubernetes.default.svc';
const tokenPath = '/api/v1/namespaces/team/serviceaccounts/bot/token';
const jane = { name: 'jane', uid: 'j', groups: ['devs'] };

function createServer(): AuthServer {
  const server = createAuthServer({ secret: jane });
  server.put('/serviceaccounts', { metadata: { name: 'bot', namespace: 'team', uid: 'sa-uid' } });
  return server;
}

async function issue(server: AuthServer, spec: object = {}): Promise<string> {
  const { body } = await server.call('POST', tokenPath, { user: admin, body: { spec } });
  return (body.status as { token: string }).token;
}

describe('a token request', () => {
  test('answers with a token, its end, and what was left out', async () => {
    const server = createServer();
    const { status, body } = await server.call('POST', tokenPath, { user: admin, body: {} });
    expect(status).toBe(201);
    expect(body).toEqual({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { name: 'bot', namespace: 'team', uid: 'sa-uid', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { audiences: [issuer], expirationSeconds: 3600, boundObjectRef: null },
      status: { token: expect.stringMatching(/^ey/), expirationTimestamp: '2026-01-01T01:00:00Z' },
    });
  });

  test('says who asked for what, defaults included', async () => {
    const server = createServer();
    const answer = await server.handler({
      method: 'POST',
      path: tokenPath,
      query: new URLSearchParams(),
      headers: { 'user-agent': 'curl/8' },
      readBody: async () => Buffer.from('{"spec":{"audiences":["a"]}}'),
      user: admin,
      signal: new AbortController().signal,
    });
    expect(JSON.parse(String(answer.body)).metadata.managedFields).toEqual([
      {
        manager: 'curl',
        operation: 'Update',
        apiVersion: 'authentication.k8s.io/v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:audiences': {}, 'f:expirationSeconds': {} } },
        subresource: 'token',
      },
    ]);
  });

  test('binds the token to a pod of the account, and records its node', async () => {
    const server = createServer();
    const spec = { serviceAccountName: 'bot', nodeName: 'n' };
    server.put('/pods', { metadata: { name: 'p', namespace: 'team', uid: 'pod-uid' }, ...{ spec } });
    const token = await issue(server, { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } });
    const { body } = await server.call('POST', `${root}/selfsubjectreviews`, { token, body: {} });
    expect(body.status).toMatchObject({
      userInfo: {
        username: 'system:serviceaccount:team:bot',
        extra: {
          'authentication.kubernetes.io/pod-name': ['p'],
          'authentication.kubernetes.io/node-name': ['n'],
        },
      },
    });
    server.storage.delete('/pods', 'team/p');
    expect((await server.call('POST', `${root}/selfsubjectreviews`, { token, body: {} })).status).toBe(401);
  });

  const conflictOf = (text: string) => `409 Operation cannot be fulfilled on ${text}`;
  const refused: Record<string, [object, string, string?]> = {
    'if it should end too soon': [
      { spec: { expirationSeconds: 599 } },
      '422 TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    'if it should never end': [
      { spec: { expirationSeconds: 2 ** 32 + 1 } },
      '422 TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
    ],
    'for an account that is not there': [
      {},
      '404 serviceaccounts "nope" not found',
      '/api/v1/namespaces/team/serviceaccounts/nope/token',
    ],
    'if it names another account': [
      { metadata: { name: 'other' } },
      '422 TokenRequest.authentication.k8s.io "bot" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
    ],
    'if it names another namespace': [
      { metadata: { namespace: 'other' } },
      '400 the namespace of the provided object does not match the namespace sent on the request',
    ],
    'if it means another account of that name': [
      { metadata: { uid: 'x' } },
      conflictOf(
        'TokenRequest.authentication.k8s.io "bot": the UID in the token request (x) does not match the UID of the service account (sa-uid)',
      ),
    ],
    'if what it is bound to is not there': [
      { spec: { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'no' } } },
      '404 secrets "no" not found',
    ],
    'if what it is bound to is another of that name': [
      { spec: { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 's', uid: 'x' } } },
      conflictOf(
        'Secret "s": the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
      ),
    ],
    'if it cannot be bound to such an object': [
      { spec: { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'no' } } },
      '400 cannot bind token to object of type /v1, Kind=ConfigMap',
    ],
    'if the pod it is bound to runs as another account': [
      { spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } } },
      '400 cannot bind token for serviceaccount "bot" to pod running with different serviceaccount name.',
    ],
  };
  test.each(Object.entries(refused))('is refused %s', async (_, [body, expected, path = tokenPath]) => {
    const server = createServer();
    server.put('/secrets', { metadata: { name: 's', namespace: 'team', uid: 's-uid' } });
    server.put('/pods', { metadata: { name: 'p', namespace: 'team' }, ...{ spec: { serviceAccountName: 'other' } } });
    const answer = await server.call('POST', path, { user: admin, body });
    expect(`${answer.status} ${answer.body.message}`).toBe(expected);
  });

  test('can only be created', async () => {
    expect((await createServer().call('GET', tokenPath, { user: admin })).status).toBe(405);
  });
});

describe('a token review', () => {
  const review = async (server: AuthServer, spec: object) =>
    (await server.call('POST', `${root}/tokenreviews`, { user: admin, body: { spec } })).body.status;

  test('returns the user of a token, and which of the audiences it is for', async () => {
    const server = createServer();
    const token = await issue(server, { audiences: ['a', 'b'] });
    expect(await review(server, { token, audiences: ['b', 'c'] })).toEqual({
      authenticated: true,
      user: {
        username: 'system:serviceaccount:team:bot',
        uid: 'sa-uid',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:team', 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)] },
      },
      audiences: ['b'],
    });
  });

  test('reports why a token is refused', async () => {
    const server = createServer();
    const token = await issue(server, { audiences: ['a', 'b'] });
    expect(await review(server, { token })).toEqual({
      user: {},
      error: `[invalid bearer token, token audiences ["a" "b"] is invalid for the target audiences ["${issuer}"]]`,
    });
    expect(await review(server, { token: 'bogus' })).toEqual({ user: {}, error: 'invalid bearer token' });
    expect(await review(server, { token: `${token}x` })).toEqual({
      user: {},
      error: '[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]',
    });
  });

  test('knows tokens without audiences as those of the API server', async () => {
    const server = createServer();
    expect(await review(server, { token: 'secret' })).toEqual({
      authenticated: true,
      user: { username: 'jane', uid: 'j', groups: ['devs', 'system:authenticated'] },
      audiences: [issuer],
    });
    expect(await review(server, { token: 'secret', audiences: ['zzz'] })).toEqual({
      user: {},
      error: 'invalid bearer token',
    });
  });

  test('needs a token', async () => {
    const answer = await createServer().call('POST', `${root}/tokenreviews`, { user: admin, body: { spec: {} } });
    expect(answer).toMatchObject({
      status: 400,
      body: { message: 'token is required for TokenReview in authentication' },
    });
  });
});

describe('a request', () => {
  const whoami = (server: AuthServer, headers: Record<string, string>) =>
    server.call('POST', `${root}/selfsubjectreviews`, { headers, body: {} });

  test("with a good token is its user's", async () => {
    const answer = await whoami(createServer(), { authorization: 'bearer secret' });
    expect(answer.body).toEqual({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
      metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
      status: { userInfo: { username: 'jane', uid: 'j', groups: ['devs', 'system:authenticated'] } },
    });
  });

  test('with a wrong token is refused, also where anonymous requests are served', async () => {
    const server = createServer();
    expect((await whoami(server, { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await server.call('GET', '/healthz', { token: 'wrong' })).status).toBe(401);
  });

  test('with an unknown scheme or nothing is anonymous, and may do what roles allow anonymous users', async () => {
    const server = createServer();
    const map = '/api/v1/namespaces/kube-public/configmaps/cluster-info';
    server.put('/configmaps', { metadata: { name: 'cluster-info', namespace: 'kube-public' } });
    for (const authorization of ['', 'Basic c2VjcmV0', 'Bearer ']) {
      const refused = await server.call('GET', map, { headers: { authorization } });
      expect(refused).toMatchObject({
        status: 403,
        body: {
          message:
            'configmaps "cluster-info" is forbidden: User "system:anonymous" cannot get resource "configmaps" in API group "" in the namespace "kube-public"',
        },
      });
    }
    const rules = [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['cluster-info'], verbs: ['get'] }];
    grant(server, 'system:anonymous', rules, 'kube-public');
    expect((await server.call('GET', map)).status).toBe(200);
    expect((await server.call('GET', map, { headers: { 'impersonate-user': 'jane' } })).status).toBe(403);
  });
});

test('others find the keys to check tokens with', async () => {
  const server = createServer();
  const configuration = await server.call('GET', '/.well-known/openid-configuration', { user: admin });
  expect(configuration.body).toMatchObject({ issuer, jwks_uri: 'https://127.0.0.1:6443/openid/v1/jwks' });
  const { body } = await server.call('GET', '/openid/v1/jwks', { user: admin });
  expect(body.keys).toEqual([
    {
      use: 'sig',
      kid: expect.any(String),
      alg: 'ES256',
      kty: 'EC',
      crv: 'P-256',
      x: expect.any(String),
      y: expect.any(String),
    },
  ]);
  const [header] = (await issue(server)).split('.');
  const { kid } = JSON.parse(Buffer.from(header ?? '', 'base64url').toString());
  expect(body.keys).toMatchObject([{ kid }]);
});
