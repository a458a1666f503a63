import { get, post, type Scenario, type Step } from '../scenario.ts';

const maps = '/api/v1/namespaces/{ns}/configmaps';
/** Without what the cluster itself puts into each namespace. */
const ours = 'labelSelector=set';

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const descriptions = { id: 'column-descriptions', at: ['body.columnDefinitions.*.description'] };

const three: readonly Step[] = ['a', 'b', 'c'].map((name, index) =>
  post(maps, { metadata: { name, labels: { set: name, index: String(index), tier: index < 2 ? 'x' : 'y' } } }),
);

const selectors = [
  'set=a',
  'set==a',
  'set!=a,set',
  'set in (a,b)',
  'set notin (a,b),set',
  '!set,none',
  'set,!tier',
  'index>0',
  'index<2,set',
  'index>x',
  'set in ()',
  'set in (a',
  'set=',
  '=a',
  'a=b=c',
  'set in a',
  ',',
  'set,,tier',
  'UPPER_case/x=1',
  '-bad=1',
  'set=not ok',
  '!',
  'a!b',
  'set notin',
];

export const lists: readonly Scenario[] = [
  {
    name: 'lists: label selectors, good and bad',
    steps: [...three, ...selectors.map((selector) => get(`${maps}?labelSelector=${encodeURIComponent(selector)}`))],
  },
  {
    name: 'lists: field selectors, good and bad',
    steps: [
      ...three,
      get(`${maps}?fieldSelector=metadata.name=a`),
      get(`${maps}?${ours}&fieldSelector=metadata.name!=a`),
      get(`${maps}?fieldSelector=metadata.namespace=other`),
      get(`${maps}?fieldSelector=metadata.name==a,metadata.namespace={ns}`),
      get(`${maps}?fieldSelector=data.x=1`),
      get(`${maps}?fieldSelector=metadata.labels=1`),
      get(`${maps}?fieldSelector=nonsense`),
      get(`${maps}?fieldSelector=metadata.name`),
      get('/api/v1/namespaces/{ns}/pods?fieldSelector=status.phase=Running'),
      get('/api/v1/namespaces/{ns}/pods?fieldSelector=spec.nodeName='),
      get('/api/v1/namespaces?fieldSelector=metadata.name={ns}'),
      get('/api/v1/namespaces/{ns}/secrets?fieldSelector=type=x'),
      get('/apis/apps/v1/namespaces/{ns}/deployments?fieldSelector=spec.replicas=1'),
    ],
  },
  {
    name: 'lists: pages',
    steps: [
      ...three,
      get(`${maps}?${ours}&limit=2`, { save: { next: 'metadata.continue' } }),
      get(`${maps}?${ours}&limit=2&continue={next}`),
      get(`${maps}?${ours}&limit=2&continue={next}&resourceVersion=1`),
      get(`${maps}?${ours}&limit=1&continue=nonsense`),
      get(`${maps}?${ours}&limit=1&continue=e30`),
      get(`${maps}?limit=1`),
      get(`${maps}?${ours}&limit=0`),
      get(`${maps}?${ours}&limit=-1`),
      get(`${maps}?${ours}&limit=x`),
      get(`${maps}?${ours}&limit=3`),
      get('/api/v1/namespaces/nowhere/configmaps?limit=1'),
    ],
  },
  {
    name: 'lists: resource versions',
    steps: [
      post(maps, { metadata: { name: 'first', labels: { set: 'x' } } }, { save: { rv: 'metadata.resourceVersion' } }),
      post(maps, { metadata: { name: 'second', labels: { set: 'x' } } }),
      get(`${maps}?${ours}&resourceVersion=0`),
      get(`${maps}?${ours}&resourceVersion={rv}`),
      get(`${maps}?${ours}&resourceVersion={rv}&resourceVersionMatch=Exact`),
      get(`${maps}?${ours}&resourceVersion={rv}&resourceVersionMatch=NotOlderThan`),
      get(`${maps}?${ours}&resourceVersion=0&resourceVersionMatch=Exact`),
      get(`${maps}?${ours}&resourceVersionMatch=Exact`),
      get(`${maps}?${ours}&resourceVersion={rv}&resourceVersionMatch=Sometimes`),
      get(`${maps}?${ours}&resourceVersion=x`),
      get(`${maps}?${ours}&resourceVersion=-1`),
      get(`${maps}/first?resourceVersion=0`),
      get(`${maps}/first?resourceVersion={rv}`),
      get(`${maps}/first?resourceVersion=x`),
      get(`${maps}?${ours}&sendInitialEvents=true`),
    ],
  },
  {
    name: 'lists: tables and metadata only',
    steps: [
      ...three,
      get(`${maps}?${ours}`, { accept: table, differs: descriptions }),
      get(`${maps}?${ours}&includeObject=Object&limit=1`, { accept: table, differs: descriptions }),
      get(`${maps}?${ours}&includeObject=None`, { accept: table, differs: descriptions }),
      get(`${maps}?includeObject=Nonsense`, { accept: table }),
      get(`${maps}/a`, { accept: table, differs: descriptions }),
      get(`${maps}/none`, { accept: table }),
      get(`${maps}?${ours}`, { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' }),
      get('/api/v1/namespaces/{ns}/pods', { accept: table, differs: descriptions }),
      get('/apis/apps/v1/namespaces/{ns}/deployments', { accept: table, differs: descriptions }),
      get('/api/v1/namespaces?fieldSelector=metadata.name={ns}', {
        accept: table,
        differs: descriptions,
      }),
    ],
  },
  {
    name: 'lists: paths that are nothing',
    steps: [
      get('/nothing'),
      get('/api/v2'),
      get('/api/v1/nothing'),
      get('/api/v1/namespaces/{ns}/nothing'),
      get('/apis/none.example/v1/things'),
      get('/apis/apps/v9/deployments'),
      get('/apis/apps/v1/nothings'),
      get('/api/v1/namespaces/{ns}/namespaces'),
      get('/api/v1/namespaces/{ns}/nodes'),
      get('/api/v1/configmaps/x'),
      get(`${maps}/none/status`),
      { call: `OPTIONS ${maps}` },
      { call: `HEAD ${maps}/none` },
      { call: 'TRACE /api/v1' },
      get('/api/v1/namespaces/{ns}/configmaps/'),
      get('//api/v1'),
    ],
  },
];
