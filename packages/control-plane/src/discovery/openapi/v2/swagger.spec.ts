import { gunzipSync } from 'node:zlib';
import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { asking, jsonOf } from '../../../../fixtures/path-request.ts';
import { widgetDefinition } from '../../../../fixtures/widget-definition.ts';
import { WireReader } from '../../../protobuf/wire-reader.ts';
import { builtInResources } from '../../../schema/built-in.ts';
import { customResources } from '../../../schema/custom.ts';
import { createRegistry } from '../../../schema/registry.ts';
import { openApiPaths } from '../../open-api-paths.ts';
import { definitionOf, toSwagger } from './to-swagger.ts';

function setUp() {
  const registry = createRegistry(builtInResources());
  registry.setCustom('example.com/widgets', customResources(widgetDefinition));
  return { registry, ask: asking([openApiPaths({ registry, clock: new FakeClock() })]) };
}

interface Swagger {
  swagger: string;
  paths: Record<string, Record<string, Record<string, unknown>>>;
  definitions: Record<string, Record<string, unknown>>;
}

const protobuf = { accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf' };

/** The fields of a message by their numbers. */
function fieldsOf(bytes: Buffer): Map<number, Buffer[]> {
  const reader = new WireReader(bytes, (message) => {
    throw new Error(message);
  });
  const fields = new Map<number, Buffer[]>();
  while (!reader.done) {
    const { field, wireType } = reader.tag('message');
    if (wireType !== 2) {
      reader.skip(wireType);
      continue;
    }
    fields.set(field, [...(fields.get(field) ?? []), Buffer.from(reader.bytes())]);
  }
  return fields;
}

/** The values of a map of names, which is a list of messages. */
const entriesOf = (map: Buffer, field: number): Map<string, Buffer> =>
  new Map(
    (fieldsOf(map).get(field) ?? []).map((entry) => {
      const fields = fieldsOf(entry);
      return [String(fields.get(1)?.[0]), fields.get(2)?.[0] ?? Buffer.alloc(0)];
    }),
  );

describe('the OpenAPI document of version 2', () => {
  it('holds every definition that anything in it refers to, of custom kinds too', async () => {
    const document = jsonOf(await setUp().ask('/openapi/v2')) as Swagger;
    const referred = [...JSON.stringify(document).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)].map(
      ([, name = '']) => name,
    );
    expect(referred.filter((name) => !(name in document.definitions))).toEqual([]);
    expect(JSON.stringify(document)).not.toContain('#/components');
    expect(document).toMatchObject({
      swagger: '2.0',
      definitions: {
        'io.k8s.api.core.v1.ConfigMap': {
          type: 'object',
          description: 'ConfigMap holds configuration data for pods to consume.',
          properties: {
            metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
          },
        },
        'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: 'string', format: 'int-or-string' },
        'com.example.v1.Widget': {
          'x-kubernetes-group-version-kind': [{ group: 'example.com', kind: 'Widget', version: 'v1' }],
          properties: { spec: { properties: { replicas: { type: 'integer' } } } },
        },
      },
    });
  });

  it('shows kubectl which operations validate fields', async () => {
    const { paths } = jsonOf(await setUp().ask('/openapi/v2')) as Swagger;
    expect(paths['/api/v1/namespaces/{namespace}/configmaps/{name}']?.patch).toMatchObject({
      consumes: expect.arrayContaining(['application/strategic-merge-patch+json']),
      parameters: expect.arrayContaining([
        { name: 'body', in: 'body', required: true, schema: { $ref: expect.stringMatching(/meta\.v1\.Patch$/) } },
        { name: 'fieldValidation', in: 'query', type: 'string', uniqueItems: true },
      ]),
      'x-kubernetes-group-version-kind': { group: '', version: 'v1', kind: 'ConfigMap' },
    });
  });

  it('says the same in protobuf', async () => {
    const { ask } = setUp();
    const json = jsonOf(await ask('/openapi/v2')) as Swagger;
    const answer = await ask('/openapi/v2', { ...protobuf, 'accept-encoding': 'gzip' });
    expect(answer?.headers).toMatchObject({
      'content-type': 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
      'content-encoding': 'gzip',
    });
    const document = fieldsOf(gunzipSync(answer?.body as Buffer));
    expect(String(document.get(1))).toBe('2.0');
    const paths = entriesOf(document.get(8)?.[0] ?? Buffer.alloc(0), 2);
    const definitions = entriesOf(document.get(9)?.[0] ?? Buffer.alloc(0), 1);
    expect([...paths.keys()]).toEqual(Object.keys(json.paths));
    expect([...definitions.keys()]).toEqual(Object.keys(json.definitions));
    for (const [name, bytes] of definitions) {
      const schema = fieldsOf(bytes);
      const { description, properties } = json.definitions[name] as { description?: string; properties?: object };
      expect(schema.get(4)?.map(String), name).toEqual(description === undefined ? undefined : [description]);
      const fields = schema.get(25)?.[0];
      expect(fields && [...entriesOf(fields, 1).keys()], name).toEqual(properties && Object.keys(properties));
    }
    const kind = entriesOf(definitions.get('com.example.v1.Widget') ?? Buffer.alloc(0), 31);
    expect(String(fieldsOf(kind.get('x-kubernetes-group-version-kind') ?? Buffer.alloc(0)).get(2))).toBe(
      '[{"group":"example.com","kind":"Widget","version":"v1"}]\n',
    );
  });

  it('is made again when a definition comes or goes, and refused in a form that it does not have', async () => {
    const { ask, registry } = setUp();
    const before = await ask('/openapi/v2');
    expect(await ask('/openapi/v2', { 'if-none-match': String(before?.headers.etag) })).toMatchObject({ status: 304 });
    registry.setCustom('example.com/widgets', []);
    const after = jsonOf(await ask('/openapi/v2')) as Swagger;
    expect(after.definitions['com.example.v1.Widget']).toBeUndefined();
    expect(await ask('/openapi/v2', { accept: 'text/html' })).toMatchObject({ status: 406 });
  });
});

describe('a schema in version 2', () => {
  const cases: Record<string, [object, object]> = {
    'has no default': [
      { type: 'integer', default: 1, minimum: 0 },
      { type: 'integer', minimum: 0 },
    ],
    'has no alternatives': [
      { type: 'object', oneOf: [{ required: ['a'] }], anyOf: [{}], not: {}, properties: { a: { type: 'string' } } },
      { type: 'object', properties: { a: { type: 'string' } } },
    ],
    'has no shape if it may be null': [
      { type: 'object', nullable: true, description: 'D.', properties: { a: { type: 'string' } } },
      { description: 'D.' },
    ],
    'has no shape if it holds unknown fields': [
      { type: 'object', required: ['a'], properties: { a: {} }, 'x-kubernetes-preserve-unknown-fields': true },
      { 'x-kubernetes-preserve-unknown-fields': true },
    ],
    'refers to definitions, beside its description': [
      { description: 'D.', default: {}, allOf: [{ $ref: '#/components/schemas/a.B' }] },
      { description: 'D.', $ref: '#/definitions/a.B' },
    ],
    'is followed into items and further properties': [
      { type: 'array', items: { type: 'object', additionalProperties: { type: 'string', default: 'x' } } },
      { type: 'array', items: { type: 'object', additionalProperties: { type: 'string' } } },
    ],
  };
  it.each(Object.entries(cases))('%s', (_, [schema, expected]) => {
    expect(toSwagger({ ...schema })).toEqual(expected);
  });

  it('of a kind is an object, even if all its fields are unknown', () => {
    expect(
      definitionOf({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: {} } }),
    ).toEqual({
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
    });
  });
});
