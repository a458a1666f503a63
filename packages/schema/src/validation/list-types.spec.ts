import type { Json } from '@flotilla/rules/values';
import { describe, expect, it } from 'vitest';
import { validateListTypes } from './list-types.ts';
import type { StructuralSchema } from './structural-schema.ts';

const set: StructuralSchema = { type: 'array', 'x-kubernetes-list-type': 'set' };
const byKeys = (...keys: string[]): StructuralSchema => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
});

describe('validateListTypes', () => {
  it.each<{ what: string; schema: StructuralSchema; list: Json[]; fields: string[] }>([
    { what: 'a set of different items is fine', schema: set, list: ['a', 'b', 1, '1'], fields: [] },
    { what: 'a repeated item of a set is named once', schema: set, list: ['a', 'a', 'a'], fields: ['list[1]'] },
    {
      what: 'objects of a set are equal in any order of keys',
      schema: set,
      list: [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      fields: ['list[1]'],
    },
    { what: 'keys of a map list may differ', schema: byKeys('k'), list: [{ k: 'a' }, { k: 'b' }], fields: [] },
    {
      what: 'a repeated key is named',
      schema: byKeys('k'),
      list: [
        { k: 'a', v: 1 },
        { k: 'a', v: 2 },
      ],
      fields: ['list[1]'],
    },
    { what: 'two missing keys are equal', schema: byKeys('k'), list: [{}, {}], fields: ['list[1]'] },
    {
      what: 'all keys count',
      schema: byKeys('k', 'l'),
      list: [
        { k: 'a', l: 'a' },
        { k: 'a', l: 'b' },
      ],
      fields: [],
    },
    {
      what: 'an item of a map list must be an object',
      schema: byKeys('k'),
      list: [{ k: 'a' }, 'b'],
      fields: ['list[1]'],
    },
    { what: 'a plain list may repeat', schema: { type: 'array' }, list: ['a', 'a'], fields: [] },
  ])('$what', ({ schema, list, fields }) => {
    const root: StructuralSchema = { type: 'object', properties: { list: schema } };
    expect(validateListTypes({ list }, root, '').map(({ field }) => field)).toEqual(fields);
  });

  it('checks items and maps', () => {
    const root: StructuralSchema = {
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'object', additionalProperties: set } } },
    };
    expect(validateListTypes({ list: [{ any: [1, 1] }] }, root, '').map(({ field }) => field)).toEqual([
      'list[0][any][1]',
    ]);
  });
});
