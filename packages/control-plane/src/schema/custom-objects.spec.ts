import { describe, expect, it } from 'vitest';
import type { ResourceInfo } from '../contracts/resource-info.ts';
import type { StructuralSchema } from '../contracts/structural-schema.ts';
import { customResources } from './custom.ts';
import { createObjectSchemas } from './objects.ts';

function widgets(spec: StructuralSchema): ResourceInfo {
  const openAPIV3Schema: StructuralSchema = { type: 'object', properties: { spec } };
  const [info] = customResources({
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  });
  if (!info) throw new Error('the definition serves nothing');
  return info;
}

const widget = (spec: unknown, metadata: object = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a', namespace: 'default', ...metadata },
  spec,
});
const schemas = createObjectSchemas();
async function refusals(schema: StructuralSchema, spec: unknown, old?: unknown): Promise<string[]> {
  const causes = await schemas.validate(widgets(schema), widget(spec), old === undefined ? undefined : widget(old));
  return causes.map(({ field, message }) => `${field}: ${message}`);
}

describe('custom resources are refused in the words of the API server', () => {
  it.each<[what: string, schema: StructuralSchema, spec: unknown, says: string[]]>([
    [
      'a wrong type',
      { type: 'string' },
      5,
      ['spec: Invalid value: "integer": spec in body must be of type string: "integer"'],
    ],
    [
      'a pattern',
      { type: 'string', pattern: '^a$' },
      'x',
      ['spec: Invalid value: "x": spec in body should match \'^a$\''],
    ],
    ['a missing field', { type: 'object', required: ['a'] }, {}, ['spec.a: Required value']],
    [
      'an enumeration',
      { type: 'string', enum: ['A', 'B'] },
      'x',
      ['spec: Unsupported value: "x": supported values: "A", "B"'],
    ],
    ['a long text', { type: 'string', maxLength: 1 }, 'ab', ['spec: Too long: may not be more than 1 byte']],
    [
      'a short text',
      { type: 'string', minLength: 1 },
      '',
      ['spec: Invalid value: "": spec in body should be at least 1 chars long'],
    ],
    [
      'a large number',
      { type: 'integer', maximum: 3 },
      4,
      ['spec: Invalid value: 4: spec in body should be less than or equal to 3'],
    ],
    [
      'a long list',
      { type: 'array', maxItems: 1, items: { type: 'string' } },
      ['a', 'b'],
      ['spec: Too many: 2: must have at most 1 item'],
    ],
    [
      'a short list',
      { type: 'array', minItems: 1, items: { type: 'string' } },
      [],
      ['spec: Invalid value: 0: spec in body should have at least 1 items'],
    ],
    [
      'a format',
      { type: 'string', format: 'date-time' },
      'x',
      ['spec: Invalid value: "x": spec in body must be of type date-time: "x"'],
    ],
    [
      'an item twice',
      { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      ['a', 'a'],
      ['spec[1]: Duplicate value: "a"'],
    ],
    [
      'no alternative',
      { type: 'string', anyOf: [{ pattern: '^a' }] },
      'x',
      ['<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)'],
    ],
    [
      'a rule',
      { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self != 13', message: 'unlucky' }] },
      13,
      ['spec: Invalid value: 13: unlucky'],
    ],
    [
      'a rule without a message',
      { type: 'object', 'x-kubernetes-validations': [{ rule: 'size(self) > 0' }] },
      {},
      ['spec: Invalid value: failed rule: size(self) > 0'],
    ],
  ])('%s', async (_what, schema, spec, says) => {
    expect(await refusals(schema, spec)).toEqual(says);
  });

  it('says that rules did not run after an error of type', async () => {
    const schema: StructuralSchema = { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self != 13' }] };
    expect(await refusals(schema, 'x')).toEqual([
      'spec: Invalid value: "string": spec in body must be of type integer: "string"',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
  });
});

describe('updates of custom resources', () => {
  const schema: StructuralSchema = {
    type: 'object',
    properties: {
      name: { type: 'string', maxLength: 2 },
      fixed: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'is fixed' }] },
    },
  };

  it('what is too long already may stay, but not change', async () => {
    expect(await refusals(schema, { name: 'long', fixed: 'x' }, { name: 'long' })).toEqual([]);
    expect(await refusals(schema, { name: 'longer' }, { name: 'long' })).toEqual([
      'spec.name: Too long: may not be more than 2 bytes',
      expect.stringContaining('some validation rules were not checked'),
    ]);
  });

  it('a rule about the old value is asked when there is one', async () => {
    expect(await refusals(schema, { fixed: 'b' })).toEqual([]);
    expect(await refusals(schema, { fixed: 'b' }, { fixed: 'a' })).toEqual([
      'spec.fixed: Invalid value: "b": is fixed',
    ]);
  });
});

describe('decoding of custom resources', () => {
  it('reports unknown fields of metadata first, and of lists with their index', () => {
    const schema: StructuralSchema = {
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } } },
    };
    const object = widget({ list: [{ a: 'x', b: 'y' }], zzz: 1 }, { foo: 1 });
    expect(schemas.prune(widgets(schema), object).unknown).toEqual(['metadata.foo', 'spec.list[0].b', 'spec.zzz']);
  });

  it('refuses metadata of the wrong type as a bad request', () => {
    expect(() => schemas.prune(widgets({ type: 'object' }), widget({}, { labels: { a: 1 } }))).toThrow(
      'Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    );
  });

  it('sets defaults where the parent is there', () => {
    const schema: StructuralSchema = { type: 'object', properties: { flag: { type: 'boolean', default: true } } };
    expect(schemas.applyDefaults(widgets(schema), widget({}))).toMatchObject({ spec: { flag: true } });
  });
});
