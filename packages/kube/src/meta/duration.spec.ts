import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';

describe('a duration', () => {
  it.each([
    ['137s', 137_000],
    ['1m30s', 90_000],
    ['1h', 3_600_000],
    ['720h', 2_592_000_000],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['300ms', 300],
    ['1h15m30.918s', 4_530_918],
    ['10us', 0.01],
    ['10µs', 0.01],
    ['0', 0],
    ['-2s', -2000],
    ['+2s', 2000],
  ])('is read as Go reads it: %s', (text, ms) => {
    expect(parseDuration(text)).toBeCloseTo(ms, 6);
  });

  it.each(['', 's', '1', '30', '1x', '1m30', '1 m', '5d', '1e3s', '--1s', 'Infinity', '1m-30s', ' 1s'])(
    'is refused, with the way to write it: %j',
    (text) => {
      expect(() => parseDuration(text)).toThrow(/^Config: .*is not a duration; write /);
    },
  );

  it('without a unit gets a hint which units there are', () => {
    expect(() => parseDuration('137')).toThrow('write 137s for seconds or 137ms for milliseconds');
  });

  it.each([
    [90_000, '1m30s'],
    [3_600_000, '1h'],
    [137_000, '2m17s'],
    [1500, '1.5s'],
    [250, '250ms'],
    [0.5, '0.5ms'],
    [0, '0s'],
    [-60_000, '-1m'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
  ])('is written as short as it can be: %d', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('comes back the same after writing and reading, for any number of milliseconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(10 ** 12), max: 10 ** 12 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBeCloseTo(ms, 3);
      }),
    );
  });

  it('is either read as a finite number or refused with a Config error, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[-+.0-9nuµmsh]{0,12}$/)), (text) => {
        try {
          expect(parseDuration(text)).not.toBeNaN();
        } catch (error) {
          expect(String(error)).toMatch(/Config: /);
        }
      }),
    );
  });
});
