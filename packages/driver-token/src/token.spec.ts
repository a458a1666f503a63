import { describe, expect, it } from 'vitest';
import { jwt, serviceAccountToken } from './fixtures/jwt.ts';
import { readToken } from './token.ts';

describe('[registration-agent 19.9-79] a token', () => {
  it('says when it was issued, when it ends, and which service account it is of', () => {
    expect(readToken(serviceAccountToken({ iat: 100, exp: 700, uid: 'u1' }))).toEqual({
      issuedAt: 100_000,
      expiresAt: 700_000,
      serviceAccountUid: 'u1',
    });
  });

  it('may be padded, and need not be of a service account', () => {
    const padded = `e30.${Buffer.from('{"iat":1,"exp":2}').toString('base64')}.s`;
    expect(readToken(padded)).toEqual({ issuedAt: 1000, expiresAt: 2000, serviceAccountUid: '' });
  });

  it.each([
    ['of two parts', 'a.b', 'a token has 3 parts, and this one 2'],
    ['of four parts', 'a.b.c.d', 'a token has 3 parts, and this one 4'],
    ['whose payload is not base64', 'a.!!!.c', 'the payload of the token is not base64url'],
    ['whose payload is not JSON', 'a.aGVsbG8.c', 'the payload of the token is not a JSON object'],
    ['whose payload is a number', 'a.MTI.c', 'the payload of the token is not a JSON object'],
    ['that has no end', jwt({ iat: 1 }), 'the token has no exp'],
    ['that has no beginning', jwt({ exp: 1 }), 'the token has no iat'],
    ['that ends at zero', jwt({ iat: 1, exp: 0 }), 'the token has no exp'],
  ])('is refused %s', (_, token, error) => {
    expect(() => readToken(token)).toThrow(error);
  });
});
