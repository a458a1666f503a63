import { expect, it } from 'vitest';
import { mergePatch } from './merge-patch.ts';

it.each([
  ['sets a field', { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
  ['removes a field by null', { a: 1, b: 2 }, { a: null }, { b: 2 }],
  ['merges below a field', { a: { b: 1, c: 2 } }, { a: { b: 3 } }, { a: { b: 3, c: 2 } }],
  ['replaces a list as a whole', { a: [1, 2] }, { a: [3] }, { a: [3] }],
  ['replaces a text by an object, without its nulls', { a: 'text' }, { a: { b: 1, c: null } }, { a: { b: 1 } }],
  ['sets a field that every object has', {}, JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}')],
])('%s', (_, target, patch, expected) => {
  const merged = mergePatch(target, patch);
  expect(JSON.stringify(merged)).toBe(JSON.stringify(expected));
});
