import { get, patch, post, put, type Scenario } from '../scenario.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const gadgets = '/apis/{id}.example.com/v1/namespaces/{ns}/gadgets';

/** The least integer that a double cannot hold, and the largest of 64 bits. */
const digits = '9007199254740993';
const largest = '9223372036854775807';

const size = { type: 'integer', format: 'int64', multipleOf: 3 };
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.{id}.example.com' },
  spec: {
    group: '{id}.example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                'x-kubernetes-validations': [{ rule: `!has(self.ruled) || self.ruled == ${digits}`, message: 'exact' }],
                properties: {
                  size,
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

/** Bodies are texts: JSON.stringify would round the numbers before they are sent. */
const gadget = (name: string, spec: string, more = ''): string =>
  `{"apiVersion":"{id}.example.com/v1","kind":"Gadget","metadata":{"name":"${name}"${more}},"spec":${spec}}`;

const yaml = (name: string, value: string): string =>
  `apiVersion: {id}.example.com/v1\nkind: Gadget\nmetadata: {name: ${name}}\nspec: {any: {count: ${value}}}\n`;

export const integers: readonly Scenario[] = [
  {
    name: 'integers that a double cannot hold keep all their digits',
    steps: [
      post(definitions, definition),
      get(gadgets, { until: 200 }),
      post(gadgets, gadget('a', `{"any":{"count":${digits},"l":[${largest},-${largest}]}}`), {
        save: { rv: 'metadata.resourceVersion' },
      }),
      post(gadgets, yaml('b', digits), { type: 'application/yaml' }),
      get(`${gadgets}/a`),
      get(`${gadgets}/a`, { accept: 'application/yaml' }),
      get(gadgets),
      get(`${gadgets}?watch=true&resourceVersion={rv}`, {
        watch: { events: 1, meanwhile: [patch('merge', `${gadgets}/a`, `{"spec":{"any":{"m":${largest}}}}`)] },
      }),
      patch('json', `${gadgets}/a`, `[{"op":"test","path":"/spec/any/count","value":${digits}}]`),
      patch('json', `${gadgets}/a`, `[{"op":"test","path":"/spec/any/count","value":9007199254740992}]`),
      patch('json', `${gadgets}/a`, `[{"op":"add","path":"/spec/any/o","value":${digits}}]`),
      patch('json', `${gadgets}/a`, `[{"op":"copy","from":"/spec/any/o","path":"/spec/any/p"}]`),
      patch('apply', `${gadgets}/c?fieldManager=one`, gadget('c', `{"set":[${digits},9007199254740992]}`)),
      patch('apply', `${gadgets}/c?fieldManager=two`, gadget('c', `{"set":[${largest}]}`)),
    ],
  },
  {
    name: 'integers that a double cannot hold are validated by their exact value',
    steps: [
      post(definitions, definition),
      get(gadgets, { until: 200 }),
      post(gadgets, gadget('a', `{"size":${digits}}`)),
      get(gadgets, {
        accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
        differs: { id: 'column-descriptions', at: ['body.columnDefinitions.*.description'] },
      }),
      post(gadgets, gadget('b', '{"size":9007199254740994}')),
      post(gadgets, gadget('c', `{"size":${largest}}`)),
      post(gadgets, gadget('d', `{"small":${digits}}`)),
      post(gadgets, gadget('e', `{"ruled":${digits}}`)),
      post(gadgets, gadget('f', '{"ruled":9007199254740992}')),
      post(gadgets, gadget('g', `{"set":[${digits},${digits}]}`)),
      post(gadgets, gadget('h', `{"any":${digits}}`)),
      put(`${gadgets}/e`, gadget('e', `{"ruled":${largest}}`)),
      post(gadgets, gadget('i', '{}', `,"generation":${digits}`)),
      post('/api/v1/namespaces/{ns}/configmaps', `{"metadata":{"name":"x"},"data":{"n":${digits}}}`),
      post(
        '/api/v1/namespaces/{ns}/pods',
        `{"metadata":{"name":"p"},"spec":{"automountServiceAccountToken":false,"terminationGracePeriodSeconds":${digits},"containers":[{"name":"a","image":"i"}]}}`,
      ),
      post(
        '/api/v1/namespaces/{ns}/pods',
        `{"metadata":{"name":"q"},"spec":{"priority":${digits},"containers":[{"name":"a","image":"i"}]}}`,
      ),
    ],
  },
];
