import { canonicalText, isRecord, type Json, type JsonObject } from '@flotilla/rules/values';
import type { ValidatedKind } from '../validation/schema-validator.ts';
import type { StructuralSchema } from '../validation/structural-schema.ts';
import type { Random } from './random.ts';
import { sampleText } from './samples.ts';

const arbitraryNumber = (schema: StructuralSchema, random: Random): number => {
  const low = schema.minimum ?? -3;
  const high = schema.maximum ?? Math.max(low, 0) + 1000;
  return random.pick([low, high, low + random.below(high - low + 1)]);
};

const arbitraryList = (schema: StructuralSchema, random: Random): Json[] => {
  const { items = {}, minItems = 0, maxItems = minItems + 3 } = schema;
  const count = minItems + random.below(Math.min(maxItems, minItems + 2) - minItems + 1);
  const list = Array.from({ length: count }, () => arbitraryValue(items, random));
  const keys = schema['x-kubernetes-list-map-keys'];
  const identity = (item: Json) =>
    canonicalText(
      keys
        ? keys.map((key) => (isRecord(item) ? (item[key] ?? items.properties?.[key]?.default ?? null) : null))
        : item,
    );
  const unique = schema['x-kubernetes-list-type'] === 'map' || schema['x-kubernetes-list-type'] === 'set';
  return unique ? [...new Map(list.map((item) => [identity(item), item])).values()] : list;
};

const arbitraryManifest = (random: Random): JsonObject => ({
  apiVersion: random.pick(['v1', 'apps/v1', 'example.com/v1alpha1']),
  kind: random.pick(['ConfigMap', 'Deployment', 'Widget']),
  metadata: { name: random.pick(['a', 'Some:Name']), ...(random.chance(0.5) ? { namespace: 'default' } : {}) },
  data: { key: 'value', nested: [1, 'two', null, { three: 3.5 }] },
});

const arbitraryObjectValue = (schema: StructuralSchema, random: Random, density = 0.55): JsonObject => {
  if (schema['x-kubernetes-embedded-resource']) return arbitraryManifest(random);
  const { properties = {}, additionalProperties, required = [] } = schema;
  const out: JsonObject = {};
  for (const [name, property] of Object.entries(properties)) {
    if (required.includes(name) || random.chance(density)) out[name] = arbitraryValue(property, random);
  }
  if (typeof additionalProperties === 'object') {
    for (const key of ['cpu', 'example.com/memory']) {
      if (random.chance(0.5)) out[key] = arbitraryValue(additionalProperties, random);
    }
  }
  if (schema['x-kubernetes-preserve-unknown-fields']) out.anything = [{ goes: true }];
  return out;
};

/** A value that the schema accepts, CEL rules aside. */
export const arbitraryValue = (schema: StructuralSchema, random: Random): Json => {
  if (schema.nullable && random.chance(0.3)) return null;
  if (schema.enum?.length) return schema.enum[random.below(schema.enum.length)] ?? null;
  if (schema['x-kubernetes-int-or-string']) return random.chance(0.5) ? random.below(100) : sampleText(schema, random);
  switch (schema.type) {
    case 'object':
      return arbitraryObjectValue(schema, random);
    case 'array':
      return arbitraryList(schema, random);
    case 'string':
      return sampleText(schema, random);
    case 'boolean':
      return random.chance(0.5);
    case 'integer':
      return arbitraryNumber(schema, random);
    case 'number':
      return arbitraryNumber(schema, random) + random.pick([0, 0.5]);
    default:
      return 'anything';
  }
};

const arbitraryMetadata = (kind: ValidatedKind, random: Random): JsonObject => ({
  ...(random.chance(0.9) ? { name: random.pick(['a', 'cluster1', 'my.dotted-name']) } : { generateName: 'made-' }),
  ...(kind.namespaced ? { namespace: 'default' } : {}),
  ...(random.chance(0.3) ? { labels: { 'example.com/Key': 'Value_1', plain: '' } } : {}),
  ...(random.chance(0.3) ? { annotations: { 'Example.COM/Key': 'any text\nat all' } } : {}),
  ...(random.chance(0.2) ? { finalizers: ['example.com/finalizer'] } : {}),
});

/** An object of a kind that the API server accepts. */
export const arbitraryObject = (kind: ValidatedKind, random: Random): JsonObject => {
  const { apiVersion: _, kind: __, metadata: ___, ...properties } = kind.schema.properties ?? {};
  const body = arbitraryObjectValue({ ...kind.schema, properties }, random, 0.95);
  return { apiVersion: kind.apiVersion, kind: kind.kind, metadata: arbitraryMetadata(kind, random), ...body };
};
