import { generateKeyPairSync } from 'node:crypto';
import { FakeClock } from '@flotilla/kube/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createStorage } from '../../storage/memory-storage.ts';
import { createServiceAccountTokens, type TokenSubject } from './service-account-tokens.ts';
import { createSigningKey } from './signing-key.ts';

const pem = (type: 'ec' | 'rsa'): string => {
  const { privateKey } =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
};
const ecKey = pem('ec');
const issuer = 'https://issuer';

function createWorld(key = ecKey) {
  const clock = new FakeClock('2026-01-01T00:00:00Z');
  const storage = createStorage();
  let count = 0;
  const tokens = createServiceAccountTokens({
    storage,
    clock,
    key: createSigningKey(key),
    issuer,
    audiences: [issuer],
    newUid: () => `jti-${++count}`,
  });
  const put = (plural: string, namespace: string | undefined, name: string, uid: string, metadata: object = {}) =>
    storage.put(`/${plural}`, namespace ? `${namespace}/${name}` : name, {
      metadata: { name, uid, ...(namespace && { namespace }), ...metadata },
    });
  put('serviceaccounts', 'team', 'bot', 'sa-uid');
  const issue = (more: Partial<TokenSubject> = {}) =>
    tokens.issue({
      namespace: 'team',
      serviceAccount: { name: 'bot', uid: 'sa-uid' },
      audiences: [issuer],
      expirationSeconds: 3600,
      ...more,
    });
  return { clock, storage, tokens, put, issue };
}

const claimsOf = (token: string): unknown => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

describe('a service account token', () => {
  test.each(['ec', 'rsa'] as const)('signed with an %s key says whose it is', async (type) => {
    const { tokens, issue } = createWorld(pem(type));
    expect(await tokens.verify(await issue(), [issuer])).toEqual({
      user: {
        name: 'system:serviceaccount:team:bot',
        uid: 'sa-uid',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:team'],
        extra: { 'authentication.kubernetes.io/credential-id': ['JTI=jti-1'] },
      },
      audiences: [issuer],
    });
  });

  test('has the claims of a real one', async () => {
    const { issue } = createWorld();
    expect(claimsOf(await issue({ audiences: ['a', 'b'], secret: { name: 's', uid: 'secret-uid' } }))).toEqual({
      aud: ['a', 'b'],
      exp: 1767229200,
      iat: 1767225600,
      iss: issuer,
      jti: 'jti-1',
      'kubernetes.io': {
        namespace: 'team',
        secret: { name: 's', uid: 'secret-uid' },
        serviceaccount: { name: 'bot', uid: 'sa-uid' },
      },
      nbf: 1767225600,
      sub: 'system:serviceaccount:team:bot',
    });
  });

  test('is good until its end and a minute more, for clocks that differ', async () => {
    const { clock, tokens, issue } = createWorld();
    const token = await issue();
    await clock.advance(3660 * 1000);
    expect(await tokens.verify(token, [issuer])).toHaveProperty('user');
    await clock.advance(1);
    expect(await tokens.verify(token, [issuer])).toEqual({ error: 'service account token has expired' });
  });

  test('from the future is refused', async () => {
    const { tokens, issue } = createWorld();
    const later = createWorld();
    await later.clock.advance(120_000);
    expect(await tokens.verify(await later.issue(), [issuer])).toEqual({
      error: 'service account token is not valid yet',
    });
    expect(await tokens.verify(await issue(), [issuer])).toHaveProperty('user');
  });

  test('is good for its audiences only', async () => {
    const { tokens, issue } = createWorld();
    const token = await issue({ audiences: ['a', 'b'] });
    expect(await tokens.verify(token, ['b', 'c'])).toMatchObject({ audiences: ['b'] });
    expect(await tokens.verify(token, [issuer])).toEqual({
      error: 'token audiences ["a" "b"] is invalid for the target audiences ["https://issuer"]',
    });
  });

  test('of another issuer is not its business', async () => {
    const { tokens } = createWorld();
    const foreign = await createSigningKey(ecKey).sign({ iss: 'https://other', sub: 'x' });
    expect(await tokens.verify(foreign, [issuer])).toBeUndefined();
    expect(await tokens.verify('no.jwt.here', [issuer])).toBeUndefined();
    expect(await tokens.verify('opaque', [issuer])).toBeUndefined();
  });

  test('signed with another key is refused, whatever it says', async () => {
    const { tokens } = createWorld();
    expect(await tokens.verify(await createWorld(pem('ec')).issue(), [issuer])).toEqual({
      error: 'invalid signature, no keys found',
    });
  });

  test('without a signature is refused', async () => {
    const { tokens, issue } = createWorld();
    const [, claims] = (await issue()).split('.');
    const header = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    expect(await tokens.verify(`${header}.${claims}.`, [issuer])).toHaveProperty('error');
  });
});

describe('a token ends with', () => {
  const invalidated = 'service account token has been invalidated';
  const bound = { secret: { name: 's', uid: 'u' }, pod: { name: 's', uid: 'u' }, node: { name: 's', uid: 'u' } };

  test('its service account, and is not good for another of the same name', async () => {
    const { storage, tokens, put, issue } = createWorld();
    const token = await issue();
    storage.delete('/serviceaccounts', 'team/bot');
    expect(await tokens.verify(token, [issuer])).toEqual({ error: 'serviceaccounts "bot" not found' });
    put('serviceaccounts', 'team', 'bot', 'other');
    expect(await tokens.verify(token, [issuer])).toEqual({
      error: 'service account UID (other) does not match claim (sa-uid)',
    });
  });

  test.each(['secret', 'pod', 'node'] as const)('the %s it is bound to', async (kind) => {
    const { storage, tokens, put, issue } = createWorld();
    const home = kind === 'node' ? undefined : 'team';
    put(`${kind}s`, home, 's', 'u');
    const token = await issue({ [kind]: bound[kind] });
    expect(await tokens.verify(token, [issuer])).toHaveProperty('user');
    storage.delete(`/${kind}s`, home ? 'team/s' : 's');
    expect(await tokens.verify(token, [issuer])).toEqual({ error: invalidated });
    put(`${kind}s`, home, 's', 'new');
    expect(await tokens.verify(token, [issuer])).toEqual({
      error: `${kind} UID (new) does not match service account ${kind} ref claim (u)`,
    });
  });

  test('its pod a minute after that began to end', async () => {
    const { clock, tokens, put, issue } = createWorld();
    put('pods', 'team', 's', 'u', { deletionTimestamp: '2026-01-01T00:00:00Z' });
    const token = await issue({ pod: bound.pod });
    expect(await tokens.verify(token, [issuer])).toHaveProperty('user');
    await clock.advance(60_001);
    expect(await tokens.verify(token, [issuer])).toEqual({ error: invalidated });
  });

  test('its pod and not with the node the pod is on, which it records', async () => {
    const { tokens, put, issue } = createWorld();
    put('pods', 'team', 's', 'u');
    const verification = await tokens.verify(await issue({ pod: bound.pod, node: { name: 'n', uid: 'nu' } }), [issuer]);
    expect(verification).toMatchObject({
      user: {
        extra: {
          'authentication.kubernetes.io/pod-name': ['s'],
          'authentication.kubernetes.io/pod-uid': ['u'],
          'authentication.kubernetes.io/node-name': ['n'],
          'authentication.kubernetes.io/node-uid': ['nu'],
        },
      },
    });
  });
});

test('no change of a token, however small, leaves it good', async () => {
  const { tokens, issue } = createWorld();
  const token = await issue();
  expect(await tokens.verify(token, [issuer])).toHaveProperty('user');
  const letter = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.');
  await fc.assert(
    fc.asyncProperty(fc.nat(token.length - 1), letter, fc.constantFrom('put', 'insert', 'cut'), async (at, to, how) => {
      const rest = how === 'insert' ? token.slice(at) : token.slice(at + 1);
      const changed = token.slice(0, at) + (how === 'cut' ? '' : to) + rest;
      fc.pre(changed !== token && !sameBytes(changed, token));
      expect((await tokens.verify(changed, [issuer])) ?? {}).not.toHaveProperty('user');
    }),
    { numRuns: 300 },
  );
});

/** The last letter of a base64 text has bits that mean nothing: two letters may stand for the same signature. */
const sameBytes = (left: string, right: string): boolean => {
  const bytes = (token: string) => token.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex'));
  return left.split('.').length === right.split('.').length && bytes(left).join() === bytes(right).join();
};
