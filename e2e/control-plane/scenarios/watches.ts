import { del, get, patch, post, type Scenario } from '../scenario.ts';

const maps = '/api/v1/namespaces/{ns}/configmaps';
const ours = 'labelSelector=set';

export const watches: readonly Scenario[] = [
  {
    name: 'watches: from the start, from a version, with selectors',
    steps: [
      post(maps, { metadata: { name: 'a', labels: { set: 'x' } } }, { save: { rv: 'metadata.resourceVersion' } }),
      get(`${maps}?watch=true&${ours}`, {
        watch: {
          events: 4,
          meanwhile: [
            post(maps, { metadata: { name: 'b', labels: { set: 'x' } } }),
            patch('merge', `${maps}/a`, { data: { k: 'v' } }),
            del(`${maps}/b`),
          ],
        },
      }),
      get(`${maps}?watch=1&${ours}&resourceVersion={rv}`, { watch: { events: 3 } }),
      get(`${maps}?watch=1&fieldSelector=metadata.name=a&resourceVersion=0`, { watch: { events: 1 } }),
      get(`${maps}?watch=1&labelSelector=set=y&resourceVersion={rv}`, {
        watch: {
          events: 2,
          meanwhile: [
            patch('merge', `${maps}/a`, { metadata: { labels: { set: 'y' } } }),
            patch('merge', `${maps}/a`, { metadata: { labels: { set: 'z' } } }),
          ],
        },
      }),
      get('/api/v1/watch/namespaces/{ns}/configmaps?labelSelector=set', { watch: { events: 1 } }),
      get('/api/v1/watch/namespaces/{ns}/configmaps/a', { watch: { events: 1 } }),
      get(`${maps}/a?watch=true`),
    ],
  },
  {
    name: 'watches: the list as a stream, bookmarks, tables and metadata',
    steps: [
      post(maps, { metadata: { name: 'a', labels: { set: 'x' } } }),
      get(
        `${maps}?watch=true&${ours}&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan`,
        {
          watch: { events: 2 },
        },
      ),
      get(
        `${maps}?watch=true&${ours}&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&resourceVersion=0`,
        { watch: { events: 3, meanwhile: [patch('merge', `${maps}/a`, { data: { k: 'v' } })] } },
      ),
      get(`${maps}?watch=true&${ours}&sendInitialEvents=true&allowWatchBookmarks=true`),
      get(`${maps}?watch=true&${ours}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`),
      get(`${maps}?watch=true&${ours}&sendInitialEvents=false&allowWatchBookmarks=true&resourceVersionMatch=Exact`),
      get(`${maps}?watch=true&${ours}&resourceVersionMatch=NotOlderThan&resourceVersion=0`),
      get(`${maps}?watch=true&${ours}`, {
        accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
        differs: { id: 'column-descriptions', at: ['events.*.object.columnDefinitions.*.description'] },
        watch: { events: 2, meanwhile: [patch('merge', `${maps}/a`, { data: { k: 'w' } })] },
      }),
      get(`${maps}?watch=true&${ours}`, {
        accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
        watch: { events: 1 },
      }),
    ],
  },
  {
    name: 'watches: versions that are too old, from the future, or none',
    steps: [
      get(`${maps}?watch=true&resourceVersion=x`),
      get(`${maps}?watch=true&labelSelector=a in`),
      get(`${maps}?watch=true&fieldSelector=data=1`),
      get(`${maps}?watch=true&timeoutSeconds=x`),
      get(`${maps}?watch=true&${ours}&timeoutSeconds=1`, { watch: { events: 1 } }),
      get(`${maps}?watch=true&resourceVersion=1`, { watch: { events: 1 } }),
      get('/api/v1/namespaces/nowhere/configmaps?watch=true&timeoutSeconds=1', { watch: { events: 1 } }),
      get('/apis/none.example/v1/things?watch=true'),
    ],
  },
];
