import type { Json } from '@flotilla/rules/values';
import { describe, expect, it } from 'vitest';
import { errorsOf, validatorFor, widget } from '../../fixtures/widgets.ts';
import { describeFieldErrors } from './field-error.ts';
import { createSchemaValidator } from './schema-validator.ts';
import type { StructuralSchema } from './structural-schema.ts';

describe('createSchemaValidator', () => {
  it.each<{ what: string; spec: StructuralSchema; value: Json; says: string }>([
    { what: 'an integer may be written with a fraction of zero', spec: { type: 'integer' }, value: 1.0, says: '' },
    {
      what: 'an integer has no fraction',
      spec: { type: 'integer' },
      value: 1.5,
      says: 'spec: 1.5 must be integer, not number',
    },
    {
      what: 'an int32 has 32 bits',
      spec: { type: 'integer', format: 'int32' },
      value: 2 ** 31,
      says: 'spec: 2147483648 must fit into int32',
    },
    { what: 'a number takes integers', spec: { type: 'number' }, value: 1, says: '' },
    { what: 'lengths count characters, not bytes', spec: { type: 'string', maxLength: 2 }, value: '😀😀', says: '' },
    {
      what: 'a string can be too long',
      spec: { type: 'string', maxLength: 2 },
      value: 'abc',
      says: 'spec: "abc" may not be longer than 2 characters',
    },
    {
      what: 'a string can be too short',
      spec: { type: 'string', minLength: 1 },
      value: '',
      says: 'spec: "" must have at least 1 character',
    },
    {
      what: 'a pattern is named',
      spec: { type: 'string', pattern: '^a$' },
      value: 'b',
      says: 'spec: "b" must match ^a$',
    },
    {
      what: 'a list passes for a string with a format, which the server does not notice',
      spec: { type: 'string', format: 'byte' },
      value: [],
      says: '',
    },
    { what: 'int-or-string takes both', spec: { 'x-kubernetes-int-or-string': true }, value: '5', says: '' },
    {
      what: 'int-or-string takes nothing else',
      spec: { 'x-kubernetes-int-or-string': true },
      value: 1.5,
      says: 'spec: 1.5 must be integer or string, not number',
    },
    { what: 'null is taken where it is allowed', spec: { type: 'string', nullable: true }, value: null, says: '' },
    {
      what: 'null is never one of a list of values',
      spec: { type: 'string', nullable: true, enum: ['a'] },
      value: null,
      says: 'spec: must be one of "a"',
    },
    {
      what: 'bounds may exclude themselves',
      spec: { type: 'number', minimum: 1, exclusiveMinimum: true },
      value: 1,
      says: 'spec: 1 must be greater than 1',
    },
    {
      what: 'a multiple is checked',
      spec: { type: 'integer', multipleOf: 3 },
      value: 4,
      says: 'spec: 4 must be a multiple of 3',
    },
    {
      what: 'fields are counted',
      spec: { type: 'object', maxProperties: 1, additionalProperties: { type: 'string' } },
      value: { a: '', b: '' },
      says: 'spec: may not have more than 1 fields',
    },
    {
      what: 'a required field is named by its path',
      spec: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
      value: {},
      says: 'spec.a: is required: add this field',
    },
    {
      what: 'values of maps are named by their key',
      spec: { type: 'object', additionalProperties: { type: 'string' } },
      value: { 'a.b/c': 1 },
      says: 'spec.a.b/c: 1 must be string, not number',
    },
    {
      what: 'one alternative must match',
      spec: { type: 'integer', anyOf: [{ minimum: 5 }, { maximum: 1 }] },
      value: 3,
      says: 'spec: 3 must match at least one of the alternatives in anyOf',
    },
    {
      what: 'exactly one alternative must match',
      spec: { type: 'integer', oneOf: [{ minimum: 1 }, { maximum: 5 }] },
      value: 3,
      says: 'spec: 3 must match exactly one of the alternatives in oneOf',
    },
    {
      what: 'all parts must match',
      spec: { type: 'integer', allOf: [{ minimum: 5 }] },
      value: 3,
      says: 'spec: 3 must be at least 5',
    },
    {
      what: 'the excluded must not match',
      spec: { type: 'integer', not: { minimum: 1 } },
      value: 3,
      says: 'spec: 3 must not match what the schema excludes by not',
    },
  ])('$what', ({ spec, value, says }) => {
    const wrapped: StructuralSchema = { type: 'object', properties: { field: spec } };
    expect(errorsOf(wrapped, { field: value }).replaceAll('spec.field', 'spec')).toBe(says);
  });

  it('refuses another kind, and fills in one that was left out', () => {
    const validator = validatorFor({ type: 'object' });
    expect(describeFieldErrors(validator.check({ ...widget({}), kind: 'Gadget' }).errors)).toBe(
      'kind: "Gadget" must be Widget',
    );
    expect(validator.check(widget({})).object.kind).toBe('Widget');
  });

  it('refuses what is not an object', () => {
    expect(describeFieldErrors(validatorFor({ type: 'object' }).check('text').errors)).toBe(
      'object: "text" must be an object',
    );
  });

  it('treats undefined as JSON does: as absent', () => {
    const spec: StructuralSchema = { type: 'object', properties: { a: { type: 'string' } } };
    expect(validatorFor(spec).check({ metadata: { name: 'w' }, spec: { a: undefined } }).errors).toEqual([]);
  });
});

describe('an update', () => {
  const list: StructuralSchema = {
    type: 'object',
    properties: {
      byName: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: { type: 'object', properties: { name: { type: 'string' }, size: { type: 'integer', maximum: 5 } } },
      },
    },
  };

  it('may keep a value that became invalid', () => {
    const stored = { byName: [{ name: 'a', size: 9 }] };
    expect(
      errorsOf(
        list,
        {
          byName: [
            { name: 'b', size: 1 },
            { name: 'a', size: 9 },
          ],
        },
        stored,
      ),
    ).toBe('');
  });

  it('cannot change it to another invalid value', () => {
    const stored = { byName: [{ name: 'a', size: 9 }] };
    expect(errorsOf(list, { byName: [{ name: 'a', size: 10 }] }, stored)).toBe(
      'spec.byName[0].size: 10 must be at most 5',
    );
  });
});

describe('embedded resources', () => {
  const spec: StructuralSchema = {
    type: 'object',
    properties: {
      object: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    },
  };

  it.each<{ what: string; object: Json; says: string }>([
    { what: 'may be of any kind', object: { apiVersion: 'a/v1', kind: 'B', any: { field: 1 } }, says: '' },
    { what: 'need a kind', object: { apiVersion: 'v1' }, says: 'spec.object.kind: is required: add this field' },
    { what: 'need an apiVersion', object: { kind: 'B' }, says: 'spec.object.apiVersion: is required: add this field' },
    {
      what: 'have a group and a version',
      object: { apiVersion: 'a/b/c', kind: 'B' },
      says: 'spec.object.apiVersion: "a/b/c" must be version or group/version',
    },
    {
      what: 'have valid metadata',
      object: { apiVersion: 'v1', kind: 'B', metadata: { namespace: 'A' } },
      says: 'spec.object.metadata.namespace: "A" must be a DNS label: lower case letters, digits and -, starting and ending with a letter or digit',
    },
  ])('$what', ({ object, says }) => {
    expect(errorsOf(spec, { object })).toBe(says);
  });
});

describe('patterns', () => {
  const check = (pattern: string, text: string) =>
    createSchemaValidator({
      apiVersion: 'v1',
      kind: 'X',
      namespaced: false,
      schema: { type: 'object', properties: { text: { type: 'string', pattern } } },
    }).validateContent({ text });

  it('are matched at once, however the text nearly fits', () => {
    expect(check('^([a-z0-9]+-?)*$', `${'a'.repeat(10_000)}!`)).toMatchObject([{ field: 'text' }]);
    expect(check('^([a-z0-9]+-?)*$', 'a'.repeat(10_000))).toEqual([]);
  });

  it('have a budget for the object, and say so when it is used up', () => {
    expect(check('^(a|b)*a(a|b){200}$', 'a'.repeat(100_000))).toMatchObject([
      { field: 'text', message: expect.stringContaining('running out of cost budget') },
    ]);
  });
});
