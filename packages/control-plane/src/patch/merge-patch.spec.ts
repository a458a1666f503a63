import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyMergePatch } from './merge-patch.ts';

describe('applyMergePatch', () => {
  it.each<[string, object, object, object]>([
    ['replaces a value', { a: 'b' }, { a: 'c' }, { a: 'c' }],
    ['adds a value', { a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    ['deletes with null', { a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    ['does not mind deleting what is not there', { a: 'b' }, { z: null }, { a: 'b' }],
    ['replaces lists as a whole', { a: ['b'] }, { a: ['c', 'd'] }, { a: ['c', 'd'] }],
    ['replaces a list by a value', { a: ['b'] }, { a: 'c' }, { a: 'c' }],
    ['goes into objects', { a: { b: 'c', d: 'e' } }, { a: { b: 'd', d: null } }, { a: { b: 'd' } }],
    ['drops nulls where a value is new', {}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ['drops nulls in new lists of objects', { a: 1 }, { a: [{ b: null, c: 1 }, null] }, { a: [{ c: 1 }, null] }],
    ['keeps nulls in a list that takes the place of an object', { a: {} }, { a: [{ b: null }] }, { a: [{ b: null }] }],
    ['treats a null in the document as absent', { a: null }, { a: { b: null } }, { a: {} }],
  ])('%s', (_, document, patch, expected) => {
    expect(applyMergePatch({ ...document }, patch)).toEqual(expected);
  });

  it.each([
    ['a list', [], 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
    [
      'a number',
      1,
      'error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}',
    ],
    [
      'a boolean',
      true,
      'error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}',
    ],
    ['null', null, 'Invalid JSON Patch'],
  ])('refuses %s with 400', (_, patch, message) => {
    expect(() => applyMergePatch({}, patch)).toThrow(
      expect.objectContaining({ apiStatus: expect.objectContaining({ code: 400, message }) }),
    );
  });

  // Few keys, so that document and patch meet; no lists, in which the API server keeps or drops nulls by what was there before.
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, fc.constantFrom(null, 1, 'x'), tie('object')),
    object: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('value'), { maxKeys: 2 }),
  }));
  const patches = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), value);

  it('is idempotent', () => {
    fc.assert(
      fc.property(patches, patches, (document, patch) => {
        const once = applyMergePatch(document, patch);
        expect(applyMergePatch(once, patch)).toEqual(once);
      }),
    );
  });

  it('makes every value of a flat patch stand in the result and changes nothing else', () => {
    const flat = fc.dictionary(fc.string(), fc.option(fc.string()));
    fc.assert(
      fc.property(flat, flat, (document, patch) => {
        const expected = new Map([...Object.entries(document), ...Object.entries(patch)]);
        for (const [key, value] of Object.entries(patch)) if (value === null) expected.delete(key);
        expect(applyMergePatch(document, patch)).toEqual(Object.fromEntries(expected));
      }),
    );
  });

  it('changes neither the document nor the patch', () => {
    fc.assert(
      fc.property(patches, patches, (document, patch) => {
        const [before, asked] = [structuredClone(document), structuredClone(patch)];
        applyMergePatch(document, patch);
        expect(document).toEqual(before);
        expect(patch).toEqual(asked);
      }),
    );
  });
});
