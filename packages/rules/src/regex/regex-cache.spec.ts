import { expect, it } from 'vitest';
import { patternSize } from './pattern-size.ts';
import { RegexCache } from './regex-cache.ts';

const mebibyte = 1024 * 1024;

it('keeps as many patterns as there is memory for, and those that were used last', () => {
  const cache = new RegexCache<number>();
  const size = patternSize('(abcdefgh){900}');
  cache.set('often', -1, patternSize('a'));
  for (let index = 0; index < 100; index += 1) {
    cache.set(`large ${index}`, index, size);
    expect(cache.get('often')).toBe(-1);
  }
  expect(cache.bytes).toBeLessThanOrEqual(64 * mebibyte);
  expect(cache.get('large 0')).toBeUndefined();
  expect(cache.get('large 99')).toBe(99);
});

it('counts the states that matching remembers', () => {
  const cache = new RegexCache<number>();
  for (let index = 0; index < 100; index += 1) {
    cache.set(`${index}`, index, patternSize('a'));
    cache.recordStates(`${index}`, 8 * mebibyte);
  }
  expect(cache.bytes).toBeLessThanOrEqual(64 * mebibyte);
  expect(cache.get('0')).toBeUndefined();
  expect(cache.get('99')).toBe(99);
  cache.recordStates('99', 0);
  cache.recordStates('0', mebibyte);
  expect(cache.bytes).toBeLessThan(56 * mebibyte);
});

it('counts the ranges of each copy of a class', () => {
  const { ranges } = patternSize('(\\pL){700}');
  expect(ranges).toBeGreaterThan(400_000);
  expect(patternSize('[\\pL\\pN]{100}').ranges).toBeGreaterThan(100_000);
});

it('refuses a pattern whose classes take more memory than any that a person writes', () => {
  expect(() => patternSize('[\\pL]{999}'.repeat(9))).toThrow('at most 1000000 ranges');
  expect(() => patternSize(`[${'\\pL'.repeat(900)}]`)).toThrow('at most 50000 ranges');
  expect(() => patternSize('^[\\p{L}\\p{N}]{1,253}$')).not.toThrow();
});
