import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createInterner } from './intern.ts';

it('never changes what an object says, also when its memory is full', () => {
  const intern = createInterner(3);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const before = structuredClone(value);
      expect(intern(value)).toEqual(before);
    }),
  );
});

it('returns the same object', () => {
  const object = { metadata: { name: 'a', labels: { zone: 'north' } }, items: ['north'] };
  expect(createInterner()(object)).toBe(object);
});

it('takes an object that is nested as deeply as an API server lets it be', () => {
  const levels = 9_990;
  const object: unknown = JSON.parse(`${'{"a":'.repeat(levels)}"north"${'}'.repeat(levels)}`);
  expect(createInterner()(object)).toBe(object);
});
