import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sameQuantities, sumQuantities } from './quantity.ts';

describe('sums of quantities', () => {
  it.each([
    [['32', '32'], '64'],
    [['64Mi', '64Mi'], '128Mi'],
    [['500m', '500m'], '1'],
    [['100m', '1'], '1100m'],
    [['1Gi', '512Mi'], '1536Mi'],
    [['1500M', '500M'], '2G'],
    [['16417660Ki', '16417660Ki'], '32835320Ki'],
    [['0', '1Ki'], '1Ki'],
    [['1e3', '2e3'], '3e3'],
    [['1.5Gi', '0.5Gi'], '2Gi'],
    [['9223372036854775807', '1'], '9223372036854775808'],
    [['1000', '24Ki'], '25576'],
  ])('of %j are %s', (amounts, sum) => {
    expect(sumQuantities(amounts.map((x) => ({ x })))).toEqual({ x: sum });
  });

  it('are exact where floating point is not', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: 2n ** 53n }), { minLength: 1 }), (millis) => {
        const sum = sumQuantities(millis.map((amount) => ({ cpu: `${amount}m` })));
        const total = millis.reduce((a, b) => a + b, 0n);
        expect(sameQuantities(sum, { cpu: `${total}m` })).toBe(true);
      }),
    );
  });

  it('leave out what is not a quantity, and compare by value', () => {
    expect(sumQuantities([{ a: 'x', b: '1' }])).toEqual({ b: '1' });
    expect(sameQuantities({ a: '1000m' }, { a: 1 })).toBe(true);
    expect(sameQuantities({ a: '1' }, { a: '2' })).toBe(false);
    expect(sameQuantities({ a: '1' }, {})).toBe(false);
  });
});
