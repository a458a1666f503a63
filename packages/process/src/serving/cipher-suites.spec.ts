import { createSecureContext } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { cipherList } from './cipher-suites.ts';

describe('cipher suites by their IANA names', () => {
  it.each([
    ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
    ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
    ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'],
    ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA', 'ECDHE-ECDSA-AES128-SHA'],
    ['TLS_RSA_WITH_AES_128_GCM_SHA256', 'AES128-GCM-SHA256'],
  ])('%s is %s for OpenSSL, and TLS 1.3 stays', (iana, openSsl) => {
    const list = cipherList([iana]);
    expect(list.split(':')[0]).toBe(openSsl);
    expect(list).toContain('TLS_AES_128_GCM_SHA256');
    createSecureContext({ ciphers: list });
  });

  it('of TLS 1.3 are those that are asked for, if any is', () => {
    expect(cipherList(['TLS_AES_256_GCM_SHA384'])).toBe('TLS_AES_256_GCM_SHA384');
  });

  it.each(['TLS_NOPE', 'NOPE'])('that are unknown are refused: %s', (suite) => {
    expect(() => cipherList([suite])).toThrow(new RegExp(`^Config: cipher suite ${suite} is not known`));
  });
});
