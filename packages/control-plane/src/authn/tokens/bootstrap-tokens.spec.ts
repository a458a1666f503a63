import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, test } from 'vitest';
import { createStorage } from '../../storage/memory-storage.ts';
import { bootstrapTokens } from './bootstrap-tokens.ts';

const good = {
  'token-id': 'abcdef',
  'token-secret': '0123456789abcdef',
  'usage-bootstrap-authentication': 'true',
  'auth-extra-groups': 'system:bootstrappers:workers,system:bootstrappers:agents',
  expiration: '2026-01-01T01:00:00Z',
};

function verifyToken(token: string, data: Record<string, string | undefined>, secret: object = {}) {
  const storage = createStorage();
  const clock = new FakeClock('2026-01-01T00:00:00Z');
  const encoded = Object.entries(data).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, Buffer.from(value).toString('base64')]],
  );
  storage.put('/secrets', 'kube-system/bootstrap-token-abcdef', {
    metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
    ...{ type: 'bootstrap.kubernetes.io/token', data: Object.fromEntries(encoded), ...secret },
  });
  const verify = bootstrapTokens(storage, clock, ['api']);
  return { verification: verify(token, ['api']), verify, clock };
}

const token = 'abcdef.0123456789abcdef';

test('a bootstrap token says its id and groups, in order and each once', () => {
  expect(verifyToken(token, good).verification).toEqual({
    user: {
      name: 'system:bootstrap:abcdef',
      groups: ['system:bootstrappers', 'system:bootstrappers:agents', 'system:bootstrappers:workers'],
    },
    audiences: ['api'],
  });
});

test('a bootstrap token ends at its expiration', async () => {
  const { verify, clock } = verifyToken(token, good);
  await clock.advance(3_599_999);
  expect(verify(token, ['api'])).toBeDefined();
  await clock.advance(1);
  expect(verify(token, ['api'])).toBeUndefined();
});

describe('a bootstrap token is not accepted', () => {
  const cases: Record<string, [string, Record<string, string | undefined>, object?]> = {
    'with another secret': ['abcdef.0123456789abcdee', good],
    'with another id': ['abcdeg.0123456789abcdef', good],
    'of another form': ['abcdef.0123456789abcdef0', good],
    'whose Secret is for another id': [token, { ...good, 'token-id': 'ghijkl' }],
    'whose Secret is of another type': [token, good, { type: 'Opaque' }],
    'whose Secret has no data': [token, {}, { data: null }],
    'that is not for authentication': [token, { ...good, 'usage-bootstrap-authentication': 'false' }],
    'that does not say it is for authentication': [token, { ...good, 'usage-bootstrap-authentication': undefined }],
    'whose end cannot be read': [token, { ...good, expiration: 'tomorrow' }],
    'whose end is a date without a time': [token, { ...good, expiration: '2027-01-01' }],
    'with a group that bootstrap tokens may not have': [token, { ...good, 'auth-extra-groups': 'system:masters' }],
    'whose Secret is being deleted': [token, good, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }],
  };
  test.each(Object.entries(cases))('%s', (_, [given, data, secret]) => {
    expect(verifyToken(given, data, secret).verification).toBeUndefined();
  });
});

test('a bootstrap token without an end or groups of its own is good', () => {
  const { expiration: _, 'auth-extra-groups': __, ...rest } = good;
  expect(verifyToken(token, rest).verification).toMatchObject({ user: { groups: ['system:bootstrappers'] } });
});
