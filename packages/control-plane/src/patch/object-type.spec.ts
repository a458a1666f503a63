import { describe, expect, it } from 'vitest';
import type { StructuralSchema } from '../contracts/structural-schema.ts';
import { formatPath } from './field-path.ts';
import { FieldSet } from './field-set.ts';
import { objectType } from './object-type.ts';
import { fieldsOf, reconcileWithType } from './typed-fields.ts';

const definitions: Record<string, StructuralSchema> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { oneOf: [{ type: 'string' }, { type: 'number' }] },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': { type: 'object' },
  Tree: { type: 'object', properties: { name: { type: 'string' }, left: { $ref: 'Tree' } } },
};
const resolve = (schema: StructuralSchema): StructuralSchema =>
  schema.$ref === undefined ? schema : (definitions[schema.$ref] ?? {});
const field = (schema: StructuralSchema) => objectType({ type: 'object', properties: { f: schema } }, { resolve });
const owned = (schema: StructuralSchema, f: unknown) => [...fieldsOf(field(schema), { f }).paths()].map(formatPath);

describe('objectType', () => {
  it.each<[string, StructuralSchema, unknown, string[]]>([
    ['a scalar by its field', { type: 'integer' }, 1, ['.f']],
    ['a struct by its fields', { type: 'object', properties: { a: { type: 'string' } } }, { a: 'x' }, ['.f.a']],
    ['an empty struct as such', { type: 'object', properties: { a: { type: 'string' } } }, {}, ['.f']],
    [
      'a map by its entries',
      { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string' } } } },
      { k: { a: 'x' } },
      ['.f.k', '.f.k.a'],
    ],
    [
      'an atomic map as a whole',
      { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
      { k: 'x' },
      ['.f'],
    ],
    ['a list without a type as a whole', { type: 'array', items: { type: 'string' } }, ['x'], ['.f']],
    [
      'a set by its values',
      { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      ['x', 'y'],
      ['.f[="x"]', '.f[="y"]'],
    ],
    [
      'a keyed list by its keys',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a'],
        items: { type: 'object', properties: { a: { type: 'integer' } } },
      },
      [{ a: 1 }],
      ['.f[a=1]', '.f[a=1].a'],
    ],
    [
      'a list by its patch strategy',
      {
        type: 'array',
        'x-kubernetes-patch-strategy': 'merge',
        'x-kubernetes-patch-merge-key': 'a',
        items: { type: 'object', properties: { a: { type: 'string' } } },
      },
      [{ a: 'x' }],
      ['.f[a="x"]', '.f[a="x"].a'],
    ],
    [
      'what no schema describes by its maps',
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      { a: { b: [1, { c: 2 }] } },
      ['.f.a', '.f.a.b'],
    ],
    [
      'unknown fields beside known ones',
      { type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-preserve-unknown-fields': true },
      { a: 'x', b: { c: 1 } },
      ['.f.a', '.f.b', '.f.b.c'],
    ],
    ['a quantity as a scalar', { $ref: 'io.k8s.apimachinery.pkg.api.resource.Quantity' }, '1Gi', ['.f']],
    ['a raw extension as a whole', { $ref: 'io.k8s.apimachinery.pkg.runtime.RawExtension' }, { a: { b: 1 } }, ['.f']],
    [
      'a reference in an allOf of one',
      { allOf: [{ $ref: 'Tree' }], default: {} },
      { left: { left: { name: 'x' } } },
      ['.f.left.left.name'],
    ],
    [
      'a reference that is made atomic where it stands',
      { $ref: 'Tree', 'x-kubernetes-map-type': 'atomic' },
      { name: 'x' },
      ['.f'],
    ],
    ['an int-or-string as a scalar', { 'x-kubernetes-int-or-string': true }, '50%', ['.f']],
    [
      'duplicate items together',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a'],
        items: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' } } },
      },
      [
        { a: 1, b: 1 },
        { a: 1, b: 2 },
      ],
      ['.f[a=1]'],
    ],
  ])('owns %s', (_, schema, value, expected) => {
    expect(owned(schema, value)).toEqual(expected);
  });

  it('describes the metadata of custom resources and of resources embedded in them', () => {
    const objectMeta: StructuralSchema = {
      type: 'object',
      properties: { labels: { type: 'object', additionalProperties: { type: 'string' } } },
    };
    const embedded: StructuralSchema = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    };
    const type = objectType(
      { type: 'object', properties: { metadata: { type: 'object' }, inner: embedded } },
      { resolve, objectMeta },
    );
    const metadata = { labels: { a: 'b' } };
    const fields = fieldsOf(type, { apiVersion: 'v1', kind: 'K', metadata, inner: { kind: 'L', metadata } });
    expect([...fields.paths()].map(formatPath)).toEqual([
      '.apiVersion',
      '.kind',
      '.inner.kind',
      '.inner.metadata.labels.a',
      '.metadata.labels.a',
    ]);
  });
});

describe('reconcileWithType', () => {
  const inside = FieldSet.of([{ field: 'f' }, { field: 'a' }], [{ field: 'g' }]);

  it('owns a map as a whole once it has become atomic', () => {
    const type = field({ type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: { type: 'string' } } });
    expect([...reconcileWithType(inside, type).paths()].map(formatPath)).toEqual(['.f', '.g']);
  });

  it('leaves a set alone that fits its type', () => {
    const type = field({ type: 'object', properties: { a: { type: 'string' } } });
    expect(reconcileWithType(inside, type)).toBe(inside);
  });
});
