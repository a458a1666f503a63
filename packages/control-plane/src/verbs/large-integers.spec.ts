import { parseJson } from '@flotilla/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { message, protobufBody } from '../../fixtures/protobuf-body.ts';
import { send } from '../../fixtures/send.ts';
import { startTestPlane, type TestPlane } from '../../fixtures/test-plane.ts';
import { type CustomResourceDefinition, customResources } from '../schema/custom.ts';

const digits = '9007199254740993';
const exact = 9007199254740993n;
const near = 9007199254740992n;
const path = '/apis/example.com/v1/namespaces/default/gadgets';

const definition: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                'x-kubernetes-validations': [{ rule: `!has(self.ruled) || self.ruled == ${digits}`, message: 'exact' }],
                properties: {
                  size: { type: 'integer', format: 'int64', multipleOf: 3 },
                  small: { type: 'integer', format: 'int32' },
                  ruled: { type: 'integer', format: 'int64' },
                  set: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
                  any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
            },
          },
        },
      },
    ],
  },
};

const gadget = (name: string, spec: string): string =>
  `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"${name}"},"spec":${spec}}`;

describe('an integer that a JavaScript number cannot hold', () => {
  let plane: TestPlane;
  beforeAll(async () => {
    plane = await startTestPlane();
    plane.backend.registry.setCustom('example.com/gadgets', customResources(definition));
  });
  afterAll(() => plane.caller.close());

  const call = async (method: string, at: string, body: string | Buffer = '', type = 'application/json') => {
    const answer = await send(plane.handler, { method, path: at, body, headers: { 'content-type': type } });
    return { status: answer.status, text: answer.body, object: parseJson(answer.body) as Record<string, unknown> };
  };

  it('is stored and answered with all its digits, from JSON and from YAML', async () => {
    const created = await call('POST', path, gadget('json', `{"any":{"count":${digits}}}`));
    expect(created).toMatchObject({ status: 201, object: { spec: { any: { count: exact } } } });
    const yaml = `apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: yaml}\nspec: {any: {count: ${digits}, m: 7}}\n`;
    expect((await call('POST', path, yaml, 'application/yaml')).object).toMatchObject({
      spec: { any: { count: exact, m: 7 } },
    });
    expect((await call('GET', path)).text.split(digits)).toHaveLength(3);
    const asYaml = await send(plane.handler, {
      method: 'GET',
      path: `${path}/json`,
      headers: { accept: 'application/yaml' },
    });
    expect(asYaml.body).toContain(`count: ${digits}\n`);
  });

  it('is stored exactly from protobuf', async () => {
    const container = message([1, 'a'], [2, 'i']);
    const pod = message([1, message([1, 'p'])], [2, message([2, container], [4, exact])]);
    const body = protobufBody('v1', 'Pod', pod);
    const created = await call('POST', '/api/v1/namespaces/default/pods', body, 'application/vnd.kubernetes.protobuf');
    expect(created.object).toMatchObject({ spec: { terminationGracePeriodSeconds: exact } });
  });

  it('is what a JSON patch tests, adds and copies', async () => {
    await call('POST', path, gadget('patched', `{"any":{"count":${digits}}}`));
    const patch = (operation: string) =>
      call('PATCH', `${path}/patched`, `[${operation}]`, 'application/json-patch+json');
    expect((await patch(`{"op":"test","path":"/spec/any/count","value":${digits}}`)).status).toBe(200);
    expect((await patch(`{"op":"test","path":"/spec/any/count","value":${near}}`)).status).toBe(422);
    expect((await patch(`{"op":"copy","from":"/spec/any/count","path":"/spec/any/m"}`)).object).toMatchObject({
      spec: { any: { m: exact } },
    });
  });

  it('is what a merge patch sets', async () => {
    await call('POST', path, gadget('merged', '{}'));
    const body = `{"spec":{"any":{"count":${digits}}}}`;
    const merged = await call('PATCH', `${path}/merged`, body, 'application/merge-patch+json');
    expect(merged.object).toMatchObject({ spec: { any: { count: exact } } });
  });

  it('is another item of a set than its neighbour', async () => {
    const body = gadget('applied', `{"set":[${digits},${near}]}`);
    const at = `${path}/applied?fieldManager=one`;
    const { object, text } = await call('PATCH', at, body, 'application/apply-patch+yaml');
    expect(object).toMatchObject({ spec: { set: [exact, near] } });
    expect(text).toContain(`"v:${near}":{},"v:${digits}":{}`);
  });

  it.each([
    ['a multiple of its exact value', `{"size":${digits}}`, 201],
    ['no multiple, where its neighbour would be one', '{"size":9007199254740995}', 422],
    ['too large for 32 bits', `{"small":${digits}}`, 422],
    ['what a rule compares with', `{"ruled":${digits}}`, 201],
    ['not what a rule compares with', `{"ruled":${near}}`, 422],
    ['twice in a set', `{"set":[${digits},${digits}]}`, 422],
    ['beside its neighbour in a set', `{"set":[${digits},${near}]}`, 201],
    ['not an object', `{"any":${digits}}`, 422],
  ])('is validated exactly: %s', async (name, spec, status) => {
    const answer = await call('POST', path, gadget(name.replaceAll(/\W+/g, '-'), spec));
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining('{')]);
  });

  it('is named with all its digits where it is refused', async () => {
    const body = `{"metadata":{"name":"x"},"data":{"n":${digits}}}`;
    const { object } = await call('POST', '/api/v1/namespaces/default/configmaps', body);
    expect(object.message).toContain('cannot unmarshal number into Go struct field ConfigMap.data of type string');
    const pod = `{"metadata":{"name":"q"},"spec":{"priority":${digits},"containers":[{"name":"a","image":"i"}]}}`;
    const refused = await call('POST', '/api/v1/namespaces/default/pods', pod);
    expect(refused.object.message).toContain(`cannot unmarshal number ${digits} into Go struct field`);
  });
});
