import { del, get, patch, post, put, type Scenario, type Step } from '../scenario.ts';
import { widgets } from './definition.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const path = '/apis/{id}.example.com/v1/namespaces/{ns}/widgets';
const beta = '/apis/{id}.example.com/v1beta1/namespaces/{ns}/widgets';
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const types = { apiVersion: '{id}.example.com/v1', kind: 'Widget' };

const widget = (name: string, spec: object, more: object = {}) => ({ ...types, metadata: { name }, spec, ...more });

const define: readonly Step[] = [post(definitions, widgets), get(path, { until: 200 })];

const invalidSpecs: readonly object[] = [
  {},
  { size: 'medium' },
  { size: 5 },
  { size: 'small', replicas: 11 },
  { size: 'small', replicas: -1 },
  { size: 'small', replicas: '1' },
  { size: 'small', replicas: 5 },
  { size: 'small', title: 'x' },
  { size: 'small', title: 'toolong' },
  { size: 'small', title: 'ABC' },
  { size: 'small', when: 'never' },
  { size: 'small', tags: ['a', 'a'] },
  { size: 'small', tags: 'a' },
  { size: 'small', ports: [{ port: 1 }, { port: 1 }] },
  { size: 'small', ports: [{}] },
  { size: 'small', percent: true },
  { size: null },
];

const laterWidgets = '/apis/{id}.example.com/v1/namespaces/{ns}/widgets';
const laterWidget = { apiVersion: '{id}.example.com/v1', kind: 'Widget', metadata: { name: 'old' } };
const laterDefinition = (colour: object) => ({
  metadata: { name: 'widgets.{id}.example.com' },
  spec: {
    group: '{id}.example.com',
    scope: 'Namespaced',
    names: { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { colour: { type: 'string', ...colour } } } },
          },
        },
      },
    ],
  },
});

export const custom: readonly Scenario[] = [
  {
    name: 'custom resources: defaults, pruning, validation and rules',
    steps: [
      ...define,
      post(
        path,
        widget('a', {
          size: 'small',
          ports: [{ port: 1 }],
          free: { any: { thing: 1 } },
          percent: '5%',
          maybe: null,
          nope: 1,
        }),
      ),
      ...invalidSpecs.map((spec) => post(path, widget('bad', spec))),
      post(path, { ...types, metadata: { name: 'bad' } }),
      post(path, { ...types, metadata: { name: 'bad' }, spec: 'x' }),
      post(path, { ...types, metadata: { name: 'Bad!' }, spec: { size: 'small' } }),
      post(`${path}?fieldValidation=Strict`, widget('strict', { size: 'small', nope: 1 }, { extra: {} })),
      post(`${path}?fieldValidation=Ignore`, widget('ignore', { size: 'small', nope: 1 })),
      post(path, { metadata: { name: 'b' }, spec: { size: 'small' } }),
      post(path, { kind: 'Widget', metadata: { name: 'b' }, spec: { size: 'small' } }),
      post(path, { ...types, kind: 'Gadget', metadata: { name: 'b' } }),
      post(path, { ...types, apiVersion: 'v1', metadata: { name: 'b' } }),
      post(path, '{'),
      post(path, ''),
      post(path, '[]'),
      post(path, 'apiVersion: {id}.example.com/v1\nkind: Widget\nmetadata: {name: yaml}\nspec: {size: large}\n', {
        type: 'application/yaml',
      }),
      post(path, { ...types, metadata: 'x', spec: { size: 'small' } }),
      post(path, { ...types, metadata: { name: 5 }, spec: { size: 'small' } }),
      post(path, { ...types, metadata: { name: 'b', labels: { a: 1 } }, spec: { size: 'small' } }),
    ],
  },
  {
    name: 'custom resources: updates, transitions, status, scale and versions',
    steps: [
      ...define,
      post(path, widget('a', { size: 'large', fixed: 'x' }, { status: { phase: 'Lost' } }), {
        save: { rv: 'metadata.resourceVersion' },
      }),
      put(`${path}/a`, widget('a', { size: 'large' })),
      put(`${path}/a`, {
        ...types,
        metadata: { name: 'a', resourceVersion: '{rv}' },
        spec: { size: 'large', fixed: 'y' },
      }),
      put(`${path}/a`, {
        ...types,
        metadata: { name: 'a', resourceVersion: '{rv}' },
        spec: { size: 'large', fixed: 'x', replicas: 4 },
      }),
      put(`${path}/a`, { ...types, metadata: { name: 'a', resourceVersion: '{rv}' }, spec: { size: 'large' } }),
      patch('merge', `${path}/a/status`, {
        status: { phase: 'Ready', replicas: 4, selector: 'a=b' },
        spec: { size: 'small' },
        metadata: { labels: { x: 'y' } },
      }),
      patch('merge', `${path}/a`, { status: { phase: 'Ignored' }, metadata: { labels: { l: 'm' } } }),
      patch(
        'merge',
        `${path}/a/status`,
        { status: { phase: 5 } },
        { differs: { id: 'status-words', at: ['body.message', 'body.details.causes.0.message'] } },
      ),
      patch('json', `${path}/a`, [{ op: 'replace', path: '/spec/size', value: 'no' }]),
      patch('strategic', `${path}/a`, {}),
      patch('merge', `${path}/a`, { spec: null }),
      patch('merge', `${path}/a`, { kind: 'Other' }),
      get(`${path}/a/scale`),
      patch('merge', `${path}/a/scale`, { spec: { replicas: 6 } }),
      put(`${path}/a/scale`, {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'a' },
        spec: { replicas: 11 },
      }),
      get(`${path}/a`),
      get(`${beta}/a`),
      patch('merge', `${beta}/a`, { spec: { title: 'abc' } }),
      get(`${beta}/a/status`),
      get(path),
      get(beta),
      get(`${path}?fieldSelector=spec.size=large`),
      get(`${path}?fieldSelector=spec.title=x`),
      get(`${beta}?fieldSelector=spec.size=large`),
      get(path, {
        accept: table,
        differs: { id: 'column-descriptions', at: ['body.columnDefinitions.0.description'] },
      }),
      get(`${path}/a`, {
        accept: table,
        differs: { id: 'column-descriptions', at: ['body.columnDefinitions.0.description'] },
      }),
      get(path, { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' }),
      get(path, { accept: 'text/plain' }),
      post(path, '{}', { type: 'text/plain' }),
      get(`${path}?watch=true`, {
        watch: { events: 2, meanwhile: [patch('merge', `${path}/a`, { metadata: { labels: { n: 'o' } } })] },
      }),
      put(path, widget('a', {})),
      post(`${path}/a`, widget('a', {})),
      get(`${path}/a/nothing`),
      del(`${path}/a`),
      del(path),
      get('/apis/{id}.example.com/v1/widgets'),
      get('/apis/{id}.example.com/v2/widgets'),
      get('/apis/{id}.example.com/v1/gadgets'),
    ],
  },
  {
    name: 'custom resources: server-side apply',
    steps: [
      ...define,
      patch('apply', `${path}/a?fieldManager=one`, widget('a', { size: 'large', ports: [{ port: 1 }], tags: ['a'] })),
      patch(
        'apply',
        `${path}/a?fieldManager=two`,
        widget('a', { size: 'large', ports: [{ port: 2, name: 'x' }], tags: ['b'] }),
      ),
      patch('apply', `${path}/a?fieldManager=two`, widget('a', { size: 'small', replicas: 3 })),
      patch('apply', `${path}/a?fieldManager=two&force=true`, widget('a', { size: 'small', replicas: 3 })),
      patch('apply', `${path}/a?fieldManager=two`, widget('a', { nope: 1 })),
      patch('apply', `${path}/a/status?fieldManager=three`, {
        ...types,
        metadata: { name: 'a' },
        status: { phase: 'Up' },
      }),
      patch('apply', `${path}/a?fieldManager=one`, widget('a', {})),
      patch('apply', `${path}/bad?fieldManager=one`, widget('bad', { size: 'none' })),
      patch('apply', `${path}/bad?fieldManager=one`, {
        ...types,
        metadata: { name: 'bad' },
        spec: { size: 'small', tags: ['a', 'a'] },
      }),
      get(`${path}/a`),
    ],
  },
  {
    name: 'custom resources: their definitions',
    steps: [
      ...define,
      get(`${definitions}/widgets.{id}.example.com/status`, {
        differs: { id: 'unowned-status', at: ['body.metadata.managedFields'] },
      }),
      get('/apis/{id}.example.com'),
      get('/apis/{id}.example.com/v1'),
      post(definitions, { ...widgets, metadata: { name: 'wrong' } }),
      post(definitions, { metadata: { name: 'x.{id}.example.com' }, spec: { group: '{id}.example.com' } }),
      patch('merge', `${definitions}/widgets.{id}.example.com`, { spec: { scope: 'Cluster' } }),
      ...[
        { strategy: 'Magic' },
        { strategy: 'Webhook' },
        { strategy: 'Webhook', webhook: { clientConfig: {}, conversionReviewVersions: ['v9', 'v9', 'V'] } },
        { strategy: 'Webhook', webhook: { clientConfig: { url: 'http://x/' }, conversionReviewVersions: ['v1'] } },
        { strategy: 'None', webhook: { clientConfig: { url: 'https://x/' }, conversionReviewVersions: ['v1'] } },
      ].map((conversion) =>
        patch('merge', `${definitions}/widgets.{id}.example.com?dryRun=All`, { spec: { conversion } }),
      ),
      patch(
        'json',
        `${definitions}/widgets.{id}.example.com`,
        [{ op: 'replace', path: '/spec/versions/1/served', value: false }],
        { differs: { id: 'unowned-status', at: ['body.metadata.managedFields'] } },
      ),
      get(beta, { until: 404 }),
      del(`${definitions}/widgets.{id}.example.com`, undefined, {
        differs: { id: 'unowned-status', at: ['body.metadata.managedFields'] },
      }),
      get(`${definitions}/widgets.{id}.example.com`, { until: 404 }),
      get(path, { until: 404 }),
    ],
  },
  {
    name: 'custom: defaults that a definition got after objects were stored',
    steps: [
      post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', laterDefinition({})),
      get(laterWidgets, { until: 200 }),
      post(laterWidgets, { ...laterWidget, spec: {} }, { until: 201 }),
      patch(
        'merge',
        '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.{id}.example.com',
        { spec: laterDefinition({ default: 'red' }).spec },
        { differs: { id: 'unowned-status', at: ['body.metadata.managedFields'] } },
      ),
      get(`${laterWidgets}/old`, { untilAt: 'spec.colour' }),
      // The real server answers 429 while it opens its cache for the changed definition.
      get(laterWidgets, { until: 200 }),
      get(`${laterWidgets}?watch=true&resourceVersion=0`, { watch: { events: 1 } }),
      patch('merge', `${laterWidgets}/old`, { metadata: { labels: { a: 'b' } } }),
    ],
  },
];
