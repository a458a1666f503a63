import { describe, expect, it } from 'vitest';
import { doubleField, type Field, message } from '../../fixtures/protobuf-body.ts';
import { builtInResources } from '../schema/built-in.ts';
import { decodeMessage, messageOf } from './decode-message.ts';
import table from './messages.json' with { type: 'json' };

const fail = (message: string): never => {
  throw new Error(message);
};
const decode = (name: string, ...fields: readonly Field[]): unknown => decodeMessage(message(...fields), name, fail);
const nothing: Buffer = Buffer.alloc(0);
const json = (value: unknown): Buffer => message([1, Buffer.from(JSON.stringify(value))]);

describe('the table of messages', () => {
  it('has each built-in kind and each kind that a subresource takes', () => {
    for (const { group, version, kind, subresources } of builtInResources()) {
      for (const one of [{ group, version, kind }, ...subresources]) expect(messageOf(one)).toBeDefined();
    }
  });

  it('names only types that can be read', () => {
    const scalars = ['string', 'bytes', 'bool', 'int32', 'int64', 'double'];
    const known = new Set([...scalars, ...Object.keys(table)]);
    const types = Object.values<Record<string, string[]>>(table).flatMap((fields) =>
      Object.values(fields).map(([, , type]) => type),
    );
    expect(types.filter((type = '') => !known.has(type))).toEqual([]);
  });

  it('does not know kinds that are not served', () => {
    expect(messageOf({ group: 'example.com', version: 'v1', kind: 'Widget' })).toBeUndefined();
  });
});

describe('a decoded message', () => {
  it('leaves out what JSON leaves out when it is empty, and keeps a pointer to something empty', () => {
    const container = message([1, 'c'], [2, ''], [8, nothing], [16, false]);
    expect(decode('core.v1.PodSpec', [2, container], [4, 0], [8, ''], [11, false])).toEqual({
      containers: [{ name: 'c', resources: {} }],
      terminationGracePeriodSeconds: 0,
    });
  });

  it('has the fields of embedded structs as its own', () => {
    expect(decode('core.v1.Volume', [1, 'v'], [2, message([2, nothing])])).toEqual({ name: 'v', emptyDir: {} });
  });

  it('has maps, of which an entry may leave out its key or value', () => {
    const data = decode('core.v1.ConfigMap', [2, message([1, 'a'], [2, 'x'])], [2, message([1, 'b'])], [2, nothing]);
    expect(data).toEqual({ data: { a: 'x', b: '', '': '' } });
    const quantities = decode('core.v1.ResourceRequirements', [1, message([1, 'cpu'], [2, message([1, '100m'])])]);
    expect(quantities).toEqual({ limits: { cpu: '100m' } });
    expect(decode('core.v1.ResourceRequirements', [1, message([1, 'cpu'])])).toEqual({ limits: { cpu: '0' } });
  });

  it('takes any key of a map as a key, also one that objects have a meaning for', () => {
    const entry = message([1, '__proto__'], [2, 'x']);
    const { data } = decode('core.v1.ConfigMap', [2, entry]) as { data: object };
    expect(Object.entries(data)).toEqual([['__proto__', 'x']]);
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
  });

  it('has bytes in base64', () => {
    const entry = message([1, 'k'], [2, Buffer.from([0, 255, 1])]);
    expect(decode('core.v1.Secret', [2, entry])).toEqual({ data: { k: 'AP8B' } });
  });

  it('has numbers, negative ones too, in a list one by one or packed', () => {
    expect(decode('core.v1.PodSecurityContext', [4, 1], [4, -2], [4, Buffer.from([3, 4])])).toEqual({
      supplementalGroups: [1, -2, 3, 4],
    });
    expect(decode('apps.v1.DeploymentSpec', [1, -1])).toEqual({ replicas: -1 });
  });

  it('passes over fields that it does not know, and takes the last of a field that is there twice', () => {
    expect(decode('core.v1.LocalObjectReference', [1, 'a'], [1000, 'b'], [1001, 7], [1, 'c'])).toEqual({ name: 'c' });
    expect(decode('core.v1.LocalObjectReference', [1, 'a'], [1, ''])).toEqual({});
  });
});

describe('a type that writes itself', () => {
  it.each<[string, string, readonly Field[], unknown]>([
    [
      'a time of whole seconds',
      'meta.v1.Time',
      [
        [1, 1_700_000_000],
        [2, 999_999_999],
      ],
      '2023-11-14T22:13:20Z',
    ],
    [
      'the first second of 1970',
      'meta.v1.Time',
      [
        [1, 0],
        [2, 0],
      ],
      '1970-01-01T00:00:00Z',
    ],
    ['no time', 'meta.v1.Time', [], null],
    ["Go's zero time", 'meta.v1.Time', [[1, -62_135_596_800]], null],
    ['the last second', 'meta.v1.Time', [[1, 253_402_300_799]], '9999-12-31T23:59:59Z'],
    [
      'a time of microseconds',
      'meta.v1.MicroTime',
      [
        [1, 1_700_000_000],
        [2, 1_999],
      ],
      '2023-11-14T22:13:20.000001Z',
    ],
    [
      'a time before 1970',
      'meta.v1.MicroTime',
      [
        [1, -1],
        [2, 500_000_000],
      ],
      '1969-12-31T23:59:59.500000Z',
    ],
    [
      'nanoseconds that count down',
      'meta.v1.MicroTime',
      [
        [1, 1],
        [2, -1_000],
      ],
      '1970-01-01T00:00:00.999999Z',
    ],
    ['no time of microseconds', 'meta.v1.MicroTime', [], null],
    ['a quantity', 'api.resource.Quantity', [[1, '1500m']], '1500m'],
    ['no quantity', 'api.resource.Quantity', [], '0'],
    [
      'a number',
      'util.intstr.IntOrString',
      [
        [1, 0],
        [2, 80],
        [3, ''],
      ],
      80,
    ],
    [
      'a name',
      'util.intstr.IntOrString',
      [
        [1, 1],
        [2, 0],
        [3, 'http'],
      ],
      'http',
    ],
    ['neither', 'util.intstr.IntOrString', [], 0],
    [
      'an extra value',
      'certificates.v1.ExtraValue',
      [
        [1, 'a'],
        [1, ''],
      ],
      ['a', ''],
    ],
    ['another object', 'pkg.runtime.RawExtension', [[1, '{"a":[null]}']], { a: [null] }],
    ['no other object', 'pkg.runtime.RawExtension', [], null],
    ['owned fields', 'meta.v1.FieldsV1', [[1, '{"f:a":{}}']], { 'f:a': {} }],
    [
      'one schema for all items',
      'apiextensions.v1.JSONSchemaPropsOrArray',
      [[1, message([5, 'string'])]],
      { type: 'string' },
    ],
    [
      'a schema per item',
      'apiextensions.v1.JSONSchemaPropsOrArray',
      [
        [2, nothing],
        [2, nothing],
      ],
      [{}, {}],
    ],
    ['that anything goes', 'apiextensions.v1.JSONSchemaPropsOrBool', [[1, true]], true],
    ['that nothing goes', 'apiextensions.v1.JSONSchemaPropsOrBool', [[1, false]], false],
    [
      'what goes',
      'apiextensions.v1.JSONSchemaPropsOrBool',
      [
        [1, true],
        [2, nothing],
      ],
      {},
    ],
    [
      'names',
      'apiextensions.v1.JSONSchemaPropsOrStringArray',
      [
        [2, 'a'],
        [2, 'b'],
      ],
      ['a', 'b'],
    ],
  ])('is %s', (_, name, fields, expected) => {
    expect(decode(name, ...fields)).toEqual(expected);
  });

  it('is left out where it says nothing', () => {
    expect(decode('meta.v1.ObjectMeta', [1, 'a'], [8, nothing])).toEqual({ name: 'a' });
  });

  it('has the names that JSON has in schemas', () => {
    const schema = Buffer.concat([message([3, '#/a'], [8, json(false)], [38, true]), doubleField(9, 1.5)]);
    expect(decodeMessage(schema, 'apiextensions.v1.JSONSchemaProps', fail)).toEqual({
      $ref: '#/a',
      default: false,
      maximum: 1.5,
      'x-kubernetes-preserve-unknown-fields': true,
    });
  });
});

describe('decoding refuses', () => {
  it.each<[string, string, readonly Field[], string]>([
    ['a number in place of a string', 'core.v1.LocalObjectReference', [[1, 1]], 'wrong wireType = 0 for field Name'],
    ['a number in place of metadata', 'core.v1.ConfigMap', [[1, 1]], 'wrong wireType = 0 for field ObjectMeta'],
    ['a string in place of a number', 'apps.v1.DeploymentSpec', [[1, 'x']], 'wrong wireType = 2 for field Replicas'],
    ['a number in place of an entry', 'core.v1.ConfigMap', [[2, 1]], 'wrong wireType = 0 for field Data'],
    ['a time after the year 9999', 'meta.v1.Time', [[1, 2n ** 62n]], 'is not in the years 1 to 9999'],
    ['a time before the year 1', 'meta.v1.MicroTime', [[1, -(2n ** 62n)]], 'is not in the years 1 to 9999'],
    ['a third kind of number or string', 'util.intstr.IntOrString', [[1, 2]], 'impossible IntOrString.Type'],
    ['text that should be JSON', 'apiextensions.v1.JSON', [[1, '{']], 'json parse error'],
    ['a message that ends early', 'core.v1.ConfigMap', [[1, Buffer.from([10, 5])]], 'unexpected EOF'],
  ])('%s', (_, name, fields, message) => {
    expect(() => decode(name, ...fields)).toThrow(message);
  });

  it('a number that JSON cannot write', () => {
    expect(() => decodeMessage(doubleField(9, Number.NaN), 'apiextensions.v1.JSONSchemaProps', fail)).toThrow('NaN');
  });

  it('messages in messages without end', () => {
    const nested = (depth: number): Buffer => {
      let schema = nothing;
      for (let level = 0; level < depth; level++) schema = message([28, schema]);
      return schema;
    };
    expect(decodeMessage(nested(1000), 'apiextensions.v1.JSONSchemaProps', fail)).toHaveProperty('not.not.not');
    expect(() => decodeMessage(nested(5000), 'apiextensions.v1.JSONSchemaProps', fail)).toThrow('nested more than');
  });
});
