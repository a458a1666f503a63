import type { JsonObject } from '@flotilla/rules/values';
import { describe, expect, it } from 'vitest';
import { applyDefaultsInPlace } from './defaults.ts';
import type { StructuralSchema } from './structural-schema.ts';

const text: StructuralSchema = { type: 'string', default: 'set' };

describe('applyDefaultsInPlace', () => {
  it.each<{ what: string; schema: StructuralSchema; given: JsonObject; expected: JsonObject }>([
    { what: 'sets a missing field', schema: { properties: { a: text } }, given: {}, expected: { a: 'set' } },
    { what: 'keeps a given value', schema: { properties: { a: text } }, given: { a: '' }, expected: { a: '' } },
    {
      what: 'does not make an object for the sake of defaults inside',
      schema: { properties: { a: { type: 'object', properties: { b: text } } } },
      given: {},
      expected: {},
    },
    {
      what: 'fills an object that is there',
      schema: { properties: { a: { type: 'object', properties: { b: text } } } },
      given: { a: {} },
      expected: { a: { b: 'set' } },
    },
    {
      what: 'fills the default of a parent further',
      schema: { properties: { a: { type: 'object', default: {}, properties: { b: text } } } },
      given: {},
      expected: { a: { b: 'set' } },
    },
    {
      what: 'replaces a null that is not allowed',
      schema: { properties: { a: text } },
      given: { a: null },
      expected: { a: 'set' },
    },
    {
      what: 'keeps a null that is allowed',
      schema: { properties: { a: { ...text, nullable: true } } },
      given: { a: null },
      expected: { a: null },
    },
    {
      what: 'removes a null that is neither allowed nor has a default',
      schema: { properties: { a: { type: 'string' } } },
      given: { a: null },
      expected: {},
    },
    {
      what: 'keeps a null in a list, which is then refused',
      schema: { properties: { a: { type: 'array', items: { type: 'string' } } } },
      given: { a: [null] },
      expected: { a: [null] },
    },
    {
      what: 'fills items of lists and values of maps',
      schema: {
        properties: {
          list: { type: 'array', items: { type: 'object', properties: { b: text } } },
          map: { type: 'object', additionalProperties: { type: 'object', properties: { b: text } } },
        },
      },
      given: { list: [{}], map: { any: {} } },
      expected: { list: [{ b: 'set' }], map: { any: { b: 'set' } } },
    },
  ])('$what', ({ schema, given, expected }) => {
    applyDefaultsInPlace(given, schema);
    expect(given).toEqual(expected);
  });

  it('copies a default, so that objects do not share it', () => {
    const schema: StructuralSchema = { properties: { a: { type: 'object', default: { list: [] } } } };
    const object: { a?: { list: string[] } } & JsonObject = {};
    applyDefaultsInPlace(object, schema);
    object.a?.list.push('mine');
    expect(schema.properties?.a?.default).toEqual({ list: [] });
  });
});
