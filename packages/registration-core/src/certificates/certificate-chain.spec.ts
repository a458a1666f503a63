import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesKey, readChain } from './certificate-chain.ts';
import { renewalTime } from './renewal.policy.ts';

describe('a stored chain', () => {
  it('[registration-agent 19.6-60] is none without a certificate that can be read', () => {
    expect(readChain(undefined)).toBeUndefined();
    expect(readChain('')).toBeUndefined();
    expect(readChain('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----')).toBeUndefined();
  });

  it('never throws, whatever is stored', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readChain(text)).toBeUndefined();
        expect(matchesKey({ certificates: [], notBefore: 0, notAfter: 0 }, text)).toBe(false);
      }),
    );
  });
});

describe('the time of renewal', () => {
  it('is with 20 to 25 percent of life left', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.nat(1e12), fc.integer({ min: 1000, max: 1e11 }), random, (notBefore, life, drawn) => {
        const notAfter = notBefore + life;
        const left = (notAfter - renewalTime({ notBefore, notAfter }, { random: drawn, observedAt: notBefore })) / life;
        expect(left).toBeGreaterThanOrEqual(0.2 - 1e-6);
        expect(left).toBeLessThanOrEqual(0.25 + 1e-6);
      }),
    );
  });

  it.each([
    ['a minute that was backdated by five', 60_000],
    ['a second that was backdated by five minutes', 1000],
  ])(
    'lets a tenth of what is left pass first, so that a certificate of %s is not renewed without pause',
    (_life, leftMs) => {
      const chain = { notBefore: -300_000, notAfter: leftMs };
      expect(renewalTime(chain, { random: 0.5, observedAt: 0 })).toBe(leftMs / 10);
    },
  );

  it('is before the end, also of one that is seen late', () => {
    const chain = { notBefore: 0, notAfter: 100_000 };
    expect(renewalTime(chain, { random: 0.5, observedAt: 99_000 })).toBe(99_100);
    expect(renewalTime(chain, { random: 0.5, observedAt: 200_000 })).toBe(100_000);
  });
});
