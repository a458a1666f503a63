import { expect, it } from 'vitest';
import { approximateBytes } from './size.ts';

const length = 1_000_000;

it.each([
  ['Latin letters take a byte each, and another in JSON', 'é', 2],
  ['other letters take two bytes each, and two more in JSON', 'ж', 4],
])('%s', (_, letter, bytes) => {
  const size = approximateBytes({ metadata: { annotations: { text: letter.repeat(length) } } });
  expect(size).toBeGreaterThanOrEqual(bytes * length);
  expect(size).toBeLessThan(bytes * length * 1.01);
});

it('one letter of two bytes makes the whole JSON of an object take two', () => {
  const annotations = { text: 'a'.repeat(length), other: 'ж' };
  expect(approximateBytes({ metadata: { annotations } })).toBeGreaterThanOrEqual(3 * length);
});
