import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact } from './redact.ts';

describe('redact', () => {
  it('redacts private keys, also truncated ones', () => {
    expect(redact('a -----BEGIN EC PRIVATE KEY-----\nabc\n-----END EC PRIVATE KEY----- b')).toBe('a <private key> b');
    expect(redact('a -----BEGIN PRIVATE KEY-----\nabc')).toBe('a <private key>');
  });

  it('redacts authorization values anywhere in a text', () => {
    const token = fc.stringMatching(/^[A-Za-z0-9._~+/-]{8,60}$/);
    fc.assert(
      fc.property(fc.string(), token, fc.constantFrom('Bearer', 'Basic', 'bearer'), (text, secret, scheme) => {
        const start = text.includes(secret) ? '' : text;
        expect(redact(`${start} ${scheme} ${secret}`)).not.toContain(secret);
      }),
    );
  });

  it('leaves ordinary messages alone', () => {
    const message = 'pods "b" is forbidden: User "x" cannot get resource "pods"';
    expect(redact(message)).toBe(message);
  });

  it('cuts endless text and says so', () => {
    expect(redact('x'.repeat(5000))).toMatch(/^x{2000}… \(3000 more characters\)$/);
  });
});
