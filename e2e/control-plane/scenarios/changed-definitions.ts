import { del, get, patch, post, type Scenario, type Step } from '../scenario.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const definition = `${definitions}/gadgets.{id}.example.com`;
const path = '/apis/{id}.example.com/v1/namespaces/{ns}/gadgets';
const gadget = { apiVersion: '{id}.example.com/v1', kind: 'Gadget', metadata: { name: 'a' } };
/** Tries that grow exponentially with the text, on an engine that goes back. */
const backtracking = '^([a-z0-9]+-?)*$';

const version = (more: object = {}) => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { host: { type: 'string', pattern: backtracking } } } },
    },
  },
  ...more,
});

const gadgets = {
  metadata: { name: 'gadgets.{id}.example.com' },
  spec: {
    group: '{id}.example.com',
    scope: 'Namespaced',
    names: { kind: 'Gadget', listKind: 'GadgetList', plural: 'gadgets', singular: 'gadget' },
    versions: [version()],
  },
};

const define: readonly Step[] = [post(definitions, gadgets), get(path, { until: 200 }), post(path, gadget)];
const watched = (meanwhile: readonly Step[], events = 1): Step =>
  get(`${path}?watch=true`, { watch: { events, meanwhile, ends: true } });
const change = (versions: readonly object[], extra = {}): Step =>
  patch('merge', definition, { spec: { versions } }, extra);
/** Of an answer with the whole definition. */
const differs = { id: 'unowned-status', at: ['body.metadata.managedFields'] };

export const changedDefinitions: readonly Scenario[] = [
  {
    name: 'definitions: a watch ends when its version is not served any more',
    steps: [...define, watched([change([version({ served: false })])]), get(path, { until: 404 })],
  },
  {
    name: 'definitions: a watch ends when the schema changes',
    steps: [
      ...define,
      watched([
        change([version({ additionalPrinterColumns: [{ name: 'Host', type: 'string', jsonPath: '.spec.host' }] })]),
      ]),
    ],
  },
  {
    name: 'definitions: a watch ends with its definition, and reports before what is deleted',
    steps: [...define, watched([del(definition)], 2), get(definition, { until: 404 })],
  },
  {
    name: 'definitions: objects do not come back with the next definition, whether they were served or not',
    steps: [
      ...define,
      change([version({ served: false })], { differs }),
      get(path, { until: 404 }),
      del(definition, undefined, { differs }),
      get(definition, { until: 404 }),
      post(definitions, gadgets),
      get(path, { until: 200 }),
    ],
  },
  {
    name: 'definitions: a pattern that tries much is answered as others',
    steps: [
      ...define,
      post(path, { ...gadget, metadata: { name: 'b' }, spec: { host: `${'a'.repeat(40)}!` } }),
      post(path, { ...gadget, metadata: { name: 'b' }, spec: { host: 'a'.repeat(40) } }),
    ],
  },
];
