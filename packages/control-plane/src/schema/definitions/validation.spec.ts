import { acceptableMs, longestTurn } from '@flotilla/rules/testing';
import { describe, expect, it } from 'vitest';
import { refusals } from '../../../fixtures/object-schemas.ts';
import type { StructuralSchema } from '../../contracts/structural-schema.ts';

const storage = 'apiextensions.k8s.io/customresourcedefinitions';
const version = (fields: object = {}) => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } },
  ...fields,
});
const definition = (spec: object = {}, fields: object = {}) => ({
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets' },
    versions: [version(fields)],
    ...spec,
  },
});
const withSpec = (spec: StructuralSchema) =>
  definition({}, { schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } });
const at = 'spec.validation.openAPIV3Schema.properties[spec]';

describe('definitions', () => {
  it.each([
    ['a complete one is fine', definition(), []],
    [
      'the name says what is defined',
      { ...definition(), metadata: { name: 'x' } },
      ['metadata.name: Invalid value: "x": must be spec.names.plural+"."+spec.group'],
    ],
    [
      'one version is stored',
      definition({}, { storage: false }),
      [
        expect.stringContaining('must have exactly one version marked as storage version'),
        'status.storedVersions: Invalid value: null: must have at least one stored version',
      ],
    ],
    [
      'a version has a schema',
      definition({}, { schema: undefined }),
      ['spec.versions[0].schema.openAPIV3Schema: Required value'],
    ],
    [
      'groups of Kubernetes are approved',
      { ...definition({ group: 'x.k8s.io' }), metadata: { name: 'widgets.x.k8s.io' } },
      [
        'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
      ],
    ],
    [
      'a strategy of conversion is known',
      definition({ conversion: { strategy: 'Magic' } }),
      ['spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"'],
    ],
    [
      'a conversion webhook says which reviews it reads',
      definition({ conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://x' } } } }),
      ['spec.conversion.conversionReviewVersions: Required value'],
    ],
    [
      'a conversion webhook has an address, and reads reviews that are written',
      definition({ conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v9', 'v9'] } } }),
      [
        'spec.conversion.conversionReviewVersions: Invalid value: ["v9","v9"]: must include at least one of v1, v1beta1',
        'spec.conversion.conversionReviewVersions[1]: Invalid value: "v9": duplicate version',
        'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
      ],
    ],
    [
      'unknown fields are kept by the schema only',
      definition({ preserveUnknownFields: true }),
      [
        'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ],
    ],
    [
      'a column has a path',
      definition({}, { additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: 'x' }] }),
      ['spec.additionalPrinterColumns[0].JSONPath: Invalid value: "x": must be a simple json path starting with .'],
    ],
    [
      'replicas are wanted in the spec',
      definition({}, { subresources: { scale: { specReplicasPath: '.x', statusReplicasPath: '.status.r' } } }),
      ['spec.subresources.scale.specReplicasPath: Invalid value: ".x": should be a json path under .spec'],
    ],
    [
      'a selectable field is in the schema',
      definition({}, { selectableFields: [{ jsonPath: '.spec.x' }] }),
      [
        'spec.selectableFields[0].jsonPath: Invalid value: ".spec.x": is an invalid path: does not refer to a valid field',
      ],
    ],
  ])('%s', async (_what, object, expected) => {
    expect(await refusals(storage, object)).toEqual(expected);
  });

  it('what differs between versions is reported at its version', async () => {
    const other = { type: 'object', properties: { spec: {} } };
    const versions = [version(), version({ name: 'v2', storage: false, schema: { openAPIV3Schema: other } })];
    expect(await refusals(storage, definition({ versions }))).toEqual([
      'spec.versions[1].schema.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields',
    ]);
  });

  it('the scope and the kind stay once they are established', async () => {
    const status = { storedVersions: ['v1'], conditions: [{ type: 'Established', status: 'True' }] };
    const next = definition({ scope: 'Cluster', names: { kind: 'Other', plural: 'widgets' } });
    expect(await refusals(storage, { ...next, status }, { ...definition(), status })).toEqual([
      'spec.names.kind: Invalid value: "Other": field is immutable',
      'spec.scope: Invalid value: "Cluster": field is immutable',
    ]);
  });

  it('a version that may hold objects stays', async () => {
    const old = { ...definition(), status: { storedVersions: ['v0', 'v1'] } };
    expect(await refusals(storage, old, old)).toEqual([
      expect.stringContaining('status.storedVersions[0]: Invalid value: "v0": missing from spec.versions'),
    ]);
  });
});

describe('schemas of definitions', () => {
  it.each<[what: string, schema: StructuralSchema, says: string[]]>([
    ['a value has a type', {}, [`${at}.type: Required value: must not be empty for specified object fields`]],
    ['a list has items', { type: 'array' }, [`${at}.items: Required value: must be specified`]],
    [
      'types are those of JSON',
      { type: 'foo' },
      [
        `${at}.type: Unsupported value: "foo": supported values: "array", "boolean", "integer", "number", "object", "string"`,
      ],
    ],
    [
      'a type is said in one place',
      { type: 'object', properties: { a: { type: 'string' } }, anyOf: [{ properties: { a: { type: 'string' } } }] },
      [`${at}.anyOf[0].properties[a].type: Forbidden: must be empty to be structural`],
    ],
    [
      'the usual form of int-or-string is fine',
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      [],
    ],
    [
      'a pattern is an expression',
      { type: 'string', pattern: '(' },
      [expect.stringContaining(`${at}.pattern: Invalid value: "(": must be a valid regular expression`)],
    ],
    [
      'keys of a map are there',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: { type: 'string' } } },
      },
      [
        `${at}.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
      ],
    ],
    [
      'a default is a value of its type',
      { type: 'object', properties: { a: { type: 'string', default: 1 } } },
      [`${at}.properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"`],
    ],
    [
      'a default has known fields',
      { type: 'object', properties: { a: { type: 'object', default: { x: 1 } } } },
      [`${at}.properties[a].default: Invalid value: {"x":1}: must not have unknown fields`],
    ],
    [
      'a rule compiles',
      { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.' }] },
      [
        expect.stringContaining(
          `${at}.x-kubernetes-validations[0].rule: Invalid value: {"rule":"self."}: compilation failed`,
        ),
      ],
    ],
    [
      'a rule in a plain list has no old value',
      { type: 'array', items: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] } },
      [
        `${at}.items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${at}`,
      ],
    ],
    [
      'unique items are too slow',
      { type: 'array', uniqueItems: true, items: { type: 'string' } },
      [
        `${at}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
      ],
    ],
  ])('%s', async (_what, schema, says) => {
    expect(await refusals(storage, withSpec(schema))).toEqual(says);
  });

  it('metadata is what it is everywhere', async () => {
    const metadata = { type: 'object', properties: { labels: { type: 'object' } } };
    const openAPIV3Schema = { type: 'object', properties: { metadata } };
    expect(await refusals(storage, definition({}, { schema: { openAPIV3Schema } }))).toEqual([
      'spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ]);
  });
});

describe('the rules that the defaults of a definition must pass', () => {
  /** A property whose default costs less than a million units. */
  const costly: StructuralSchema = {
    type: 'array',
    maxItems: 50,
    items: { type: 'integer' },
    default: Array.from({ length: 50 }, (_, index) => index),
    'x-kubernetes-validations': [{ rule: 'self.all(a, self.all(b, self.all(c, a + b + c >= 0)))' }],
  };
  const withDefaults = (count: number): object => {
    const names = Array.from({ length: count }, (_, index) => `p${index}`);
    return withSpec({ type: 'object', properties: Object.fromEntries(names.map((name) => [name, costly])) });
  };

  it('do not hold up the event loop', async () => {
    expect(await longestTurn(() => refusals(storage, withDefaults(3)))).toBeLessThan(acceptableMs);
  });

  it('have one budget for the definition', async () => {
    expect(await refusals(storage, withDefaults(20))).toEqual([expect.stringContaining('running out of cost budget')]);
  });
});
