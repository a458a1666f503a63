import { describe, expect, it } from 'vitest';
import { lifeOf, renewalDelay } from './token.policy.ts';

const tokenOf = (payload: object): string => `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.sig`;

describe('the token of a member', () => {
  it('says how long it lives', () => {
    expect(lifeOf(tokenOf({ iat: 100, exp: 200 }))).toEqual({ issuedAt: 100_000, expiresAt: 200_000 });
  });

  it.each([
    ['it is not a JSON web token', 'abc'],
    ['its payload is not JSON', 'e30.!!!.sig'],
    ['it does not say when it ends', tokenOf({ iat: 100 })],
    ['it does not say when it was issued', tokenOf({ exp: 100 })],
  ])('says nothing if %s', (_, token) => {
    expect(lifeOf(token)).toBeUndefined();
  });

  it('is renewed when 70 to 80 per cent of its life have passed', () => {
    const life = { issuedAt: 0, expiresAt: 100_000 };
    expect(renewalDelay(life, 0, 0)).toBeCloseTo(70_000);
    expect(renewalDelay(life, 60_000, 1)).toBeCloseTo(20_000);
    expect(renewalDelay(life, 90_000, 0)).toBe(0);
  });
});
