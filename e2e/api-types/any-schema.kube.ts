import { type Cluster, startCluster } from '@flotilla/envtest';
import type { Json, KubeObject, ResourceType } from '@flotilla/schema';
import { createSchemaValidator, type StructuralSchema } from '@flotilla/schema/validation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatCases } from '../../packages/rules/fixtures/format-cases.ts';
import { disagreement } from './disagreement.ts';
import { createServerValidator, type ServerValidator } from './server-validator.ts';

// The validator takes any structural schema, not only those of our kinds. Each field here is one question to the server.

interface Question {
  readonly schema: StructuralSchema;
  readonly values: readonly Json[];
}

const text = (constraints: StructuralSchema): StructuralSchema => ({ type: 'string', ...constraints });
const integer = (constraints: StructuralSchema): StructuralSchema => ({ type: 'integer', ...constraints });
const rule = (expression: string) => ({ 'x-kubernetes-validations': [{ rule: expression, message: 'no' }] });
const sized: StructuralSchema = {
  type: 'object',
  properties: {
    size: integer({}),
    limit: integer({}),
    'x-y': text({}),
    namespace: text({}),
    at: text({ format: 'date-time' }),
  },
};

const questions: Record<string, Question> = {
  anInteger: { schema: integer({}), values: [0, -1, 2 ** 53, 2 ** 60, 2 ** 63, 1e21, 1.5, '1', true, null, [], {}] },
  anInt32: { schema: integer({ format: 'int32' }), values: [2 ** 31 - 1, -(2 ** 31), 2 ** 31, -(2 ** 31) - 1, 0.5] },
  aNumber: { schema: { type: 'number' }, values: [0, 1.5, -1e300, 'x'] },
  aFloat: { schema: { type: 'number', format: 'float' }, values: [1.5, 1e38, 1e39] },
  exclusive: {
    schema: integer({ minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: true }),
    values: [1, 2, 3],
  },
  multiple: { schema: integer({ multipleOf: 3 }), values: [0, 3, -6, 4] },
  runes: { schema: text({ minLength: 2, maxLength: 3 }), values: ['😀', '😀😀', 'äöü', 'e\u0301a\u0301', ''] },
  dotAndEnd: { schema: text({ pattern: '^a.$' }), values: ['ab', 'a\r', 'a\n', 'ab\n', 'a😀', 'a\u2028'] },
  space: { schema: text({ pattern: '^[\\s]+\\S$' }), values: [' a', '\ta', '\u00a0a', '\u000ba', '\u2003a'] },
  insensitive: { schema: text({ pattern: '(?i)^[[:alpha:]]\\.?k$' }), values: ['AK', 'a.k', '1k', 'a\u212a'] },
  unicode: { schema: text({ pattern: '^\\pL{2}[^\\pL]$' }), values: ['äö1', 'ab', 'ab!'] },
  anchored: {
    schema: text({ pattern: '^(([0-9])+[h|m|s])|None$' }),
    values: ['5m later', 'or None', 'later 5m', '5|'],
  },
  anEnum: { schema: text({ enum: ['a', 'b'] }), values: ['a', 'c', 'A', null] },
  nullable: { schema: text({ nullable: true, enum: ['a'] }), values: ['a', null] },
  either: {
    schema: { 'x-kubernetes-int-or-string': true, pattern: '^[0-9]+%$' },
    values: [5, '5%', '5', 1.5, true, []],
  },
  aSet: {
    schema: { type: 'array', 'x-kubernetes-list-type': 'set', items: text({}) },
    values: [[], ['a', 'b'], ['a', 'a'], [null], 'a'],
  },
  aList: {
    schema: { type: 'array', minItems: 1, maxItems: 2, items: integer({}) },
    values: [[], [1], [1, 2, 3], ['a'], [1, null], {}],
  },
  byKey: {
    schema: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a', 'b'],
      items: { type: 'object', required: ['a'], properties: { a: text({}), b: integer({ default: 1 }) } },
    },
    values: [
      [{ a: 'x' }, { a: 'y' }],
      [{ a: 'x' }, { a: 'x', b: 1 }],
      [
        { a: 'x', b: 1 },
        { a: 'x', b: 2 },
      ],
      [{}],
    ],
  },
  aMap: {
    schema: { type: 'object', minProperties: 1, maxProperties: 2, additionalProperties: integer({ minimum: 0 }) },
    values: [{}, { a: 1 }, { 'a.b/c': -1 }, { a: 1, b: 2, c: 3 }, { a: null }, { a: 'x' }],
  },
  needy: {
    schema: { type: 'object', required: ['a', 'b'], properties: { a: text({}), b: text({ default: 'x' }) } },
    values: [{}, { a: 'x' }, { a: null }, { a: 'x', b: null }, { a: 'x', other: 1 }],
  },
  deep: {
    schema: {
      type: 'object',
      default: { inner: {} },
      properties: { inner: { type: 'object', properties: { x: text({ default: 'd' }) } } },
    },
    values: [{}, { inner: {} }, { inner: null }, null],
  },
  anyOf: { schema: integer({ anyOf: [{ minimum: 5 }, { maximum: 1 }] }), values: [0, 3, 6] },
  oneOf: { schema: integer({ oneOf: [{ minimum: 1 }, { maximum: 5 }] }), values: [0, 3, 6] },
  allOf: { schema: integer({ allOf: [{ minimum: 1 }, { maximum: 5 }] }), values: [0, 3, 6] },
  not: { schema: text({ not: { enum: ['a'] } }), values: ['a', 'b'] },
  open: {
    schema: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { known: { type: 'object', properties: {} } },
    },
    values: [{ x: { y: [1, null] } }, { known: { gone: 1 } }, []],
  },
  embedded: {
    schema: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    values: [
      { apiVersion: 'v1', kind: 'A' },
      { apiVersion: 'v1' },
      { apiVersion: '', kind: 'A' },
      { apiVersion: 'a/b/c', kind: 'A' },
      { apiVersion: 1, kind: 'A' },
      { apiVersion: 'v1', kind: '1a' },
      { apiVersion: 'v1', kind: 'A', metadata: { name: 'a/b' } },
      { apiVersion: 'v1', kind: 'A', metadata: { labels: { a: 1 } } },
      { apiVersion: 'v1', kind: 'A', metadata: { name: '..', namespace: 'A' } },
      { apiVersion: 'v1', kind: 'A', metadata: 'text' },
    ],
  },
  celSizes: {
    schema: { ...sized, ...rule('self.size <= self.limit') },
    values: [{ size: 1, limit: 2 }, { size: 3, limit: 2 }, { size: 1 }],
  },
  celNames: {
    schema: { ...sized, ...rule('self.x__dash__y == self.__namespace__') },
    values: [
      { 'x-y': 'a', namespace: 'a' },
      { 'x-y': 'a', namespace: 'b' },
    ],
  },
  celTimes: {
    schema: { ...sized, ...rule("self.at < timestamp('2026-01-01T00:00:00Z')") },
    values: [{ at: '2025-01-01T00:00:00Z' }, { at: '2027-01-01T00:00:00Z' }],
  },
  celHas: { schema: { ...sized, ...rule('!has(self.size) || self.size > 0') }, values: [{}, { size: 0 }, { size: 1 }] },
  celList: {
    schema: {
      type: 'array',
      maxItems: 5,
      items: text({ maxLength: 9 }),
      ...rule("self.all(x, x.startsWith('a')) && size(self) < 3"),
    },
    values: [[], ['ab', 'a'], ['b'], ['a', 'a', 'a']],
  },
  celScalar: { schema: integer(rule('self % 2 == 0')), values: [2, 3] },
  ...Object.fromEntries(
    Object.entries(formatCases).map(([format, { good, bad }], at) => [
      `format${at}`,
      { schema: text({ format }), values: [...good, ...bad, 1, []] },
    ]),
  ),
};

const spec: StructuralSchema = {
  type: 'object',
  properties: Object.fromEntries(Object.entries(questions).map(([name, { schema }]) => [name, schema])),
};
const schema: StructuralSchema = { type: 'object', properties: { metadata: { type: 'object' }, spec } };
const probes: ResourceType = { group: 'example.com', version: 'v1', kind: 'Probe', plural: 'probes', namespaced: true };
const definition: KubeObject & { spec: object } = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'probes.example.com' },
  spec: {
    group: probes.group,
    names: { kind: 'Probe', listKind: 'ProbeList', plural: 'probes', singular: 'probe' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
};
const validator = createSchemaValidator({ apiVersion: 'example.com/v1', kind: 'Probe', namespaced: true, schema });

let cluster: Cluster;
let server: ServerValidator;
beforeAll(async () => {
  cluster = await startCluster({ crds: [definition], controllerManager: false });
  server = createServerValidator(cluster.client.transport);
});
afterAll(() => cluster?.stop());

describe.each(Object.keys(questions))('%s', (name) => {
  it('is validated as by the API server', async () => {
    const { values = [], schema: asked } = questions[name] ?? {};
    const answers = values.map(async (value) => {
      const object = {
        apiVersion: 'example.com/v1',
        kind: 'Probe',
        metadata: { name: 'probe', namespace: 'default' },
        spec: { [name]: value },
      };
      const ours = validator.check(object);
      const result = await server.create(probes, object);
      const differs = disagreement(JSON.stringify(value), ours, result);
      if (!differs && result.accepted) expect(result.object.spec).toEqual(ours.object.spec);
      return differs ? [differs] : [];
    });
    expect((await Promise.all(answers)).flat(), JSON.stringify(asked)).toEqual([]);
  });
});
