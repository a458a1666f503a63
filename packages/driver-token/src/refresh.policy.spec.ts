import { describe, expect, it } from 'vitest';
import { serviceAccountToken } from './fixtures/jwt.ts';
import { evaluateToken } from './refresh.policy.ts';

const token = (iat: number, exp: number) => serviceAccountToken({ iat, exp, uid: 'u1' });

describe('[registration-agent 19.9-80, 19.9-81] [addons 118] a stored token', () => {
  it('serves until a fifth of its life is left', () => {
    const stored = token(1000, 2000);
    expect(evaluateToken(stored, 'u1', 1_700_000)).toEqual({ valid: true, refreshInMs: 100_000, expiresAt: 2_000_000 });
    expect(evaluateToken(stored, 'u1', 1_799_999).valid).toBe(true);
    expect(evaluateToken(stored, 'u1', 1_800_000)).toMatchObject({ valid: false, reason: 'Expired' });
  });

  it('is not compared with a service account that is not known', () => {
    expect(evaluateToken(token(1000, 2000), undefined, 1_000_000).valid).toBe(true);
  });

  it.each([
    ['is missing', undefined, 'Missing', 'there is no token'],
    ['is empty', '', 'Missing', 'there is no token'],
    ['is malformed', 'a.b', 'Malformed', 'a token has 3 parts, and this one 2'],
    [
      'is of another service account',
      serviceAccountToken({ iat: 1000, exp: 2000, uid: 'u2' }),
      'OtherIdentity',
      'the token is of another service account',
    ],
    ['has expired', token(100, 999), 'Expired', 'the token has expired'],
    ['ends when it begins', token(2000, 2000), 'Malformed', 'the token ends before it begins'],
    ['ends before it begins', token(3000, 2000), 'Malformed', 'the token ends before it begins'],
    ['is due for renewal', token(100, 1001), 'Expired', 'the token is due for renewal'],
  ])('is replaced when it %s', (_, stored, reason, message) => {
    expect(evaluateToken(stored, 'u1', 1_000_000)).toEqual({ valid: false, reason, message });
  });
});
