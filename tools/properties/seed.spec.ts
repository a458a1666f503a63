import { afterEach, expect, it, vi } from 'vitest';
import { nightSeed, sampleSeed, variable } from './seed.ts';

afterEach(() => vi.unstubAllEnvs());

it('is that of each sample for a change, and another one at night', () => {
  // The spec runs at night too.
  vi.stubEnv(variable, undefined);
  expect(sampleSeed(14)).toBe(14);
  expect(sampleSeed(14, 700)).toBe(714);
});

it('is the number that the night has', () => {
  expect(nightSeed('700')).toBe(700);
});

it.each(['', 'x', '1.5', '-1', '1073741824'])('is not "%s"', (text) => {
  expect(() => nightSeed(text)).toThrow('FLOTILLA_PROPERTY_SEED is "');
});
