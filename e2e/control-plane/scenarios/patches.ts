import { get, patch, post, type Scenario } from '../scenario.ts';

const maps = '/api/v1/namespaces/{ns}/configmaps';

export const patches: readonly Scenario[] = [
  {
    name: 'patches: JSON patch and its edges',
    steps: [
      post(
        maps,
        { metadata: { name: 'a', annotations: { 'a/b': 's' } }, data: { k: '1' } },
        { save: { rv: 'metadata.resourceVersion' } },
      ),
      patch('json', `${maps}/a`, [{ op: 'add', path: '/data/n', value: '2' }]),
      patch('json', `${maps}/a`, [
        { op: 'replace', path: '/metadata/annotations/a~1b', value: 'S' },
        { op: 'remove', path: '/data/k' },
      ]),
      patch('json', `${maps}/a`, [
        { op: 'test', path: '/data/n', value: '2' },
        { op: 'move', from: '/data/n', path: '/data/m' },
      ]),
      patch('json', `${maps}/a`, [{ op: 'copy', from: '/data/m', path: '/data/o' }]),
      patch('json', `${maps}/a`, [{ op: 'test', path: '/data/m', value: 'no' }]),
      patch('json', `${maps}/a`, [{ op: 'remove', path: '/data/none' }]),
      patch('json', `${maps}/a`, [{ op: 'replace', path: '/nothing/there', value: 1 }]),
      patch('json', `${maps}/a`, [{ op: 'frobnicate', path: '/data' }]),
      patch('json', `${maps}/a`, [{ path: '/data' }]),
      patch('json', `${maps}/a`, {}),
      patch('json', `${maps}/a`, '[{]'),
      patch('json', `${maps}/a`, [1]),
      patch('json', `${maps}/a`, []),
      patch('json', `${maps}/a`, [{ op: 'replace', path: '/metadata/name', value: 'z' }]),
      patch('json', `${maps}/a`, [{ op: 'remove', path: '/metadata/name' }]),
      patch('json', `${maps}/a`, [{ op: 'replace', path: '/metadata/resourceVersion', value: '{rv}' }]),
      patch('json', `${maps}/a`, [{ op: 'replace', path: '/metadata/uid', value: 'x' }], {
        differs: { id: 'repeated-causes', at: ['body.details.causes'] },
      }),
      patch('json', `${maps}/gone`, [{ op: 'add', path: '/data', value: {} }]),
      patch('json', `${maps}/a?dryRun=All`, [{ op: 'add', path: '/data/dry', value: 'x' }]),
      patch('json', maps, []),
      get(`${maps}/a`),
    ],
  },
  {
    name: 'patches: merge patch and its edges',
    steps: [
      post(
        maps,
        { metadata: { name: 'a', annotations: { x: '1' } }, data: { k: '1', l: '2' } },
        { save: { rv: 'metadata.resourceVersion', uid: 'metadata.uid' } },
      ),
      patch('merge', `${maps}/a`, { data: { k: null, m: '3' } }),
      patch('merge', `${maps}/a`, { data: null }),
      patch('merge', `${maps}/a`, {}),
      patch('merge', `${maps}/a`, null),
      patch('merge', `${maps}/a`, []),
      patch('merge', `${maps}/a`, '{'),
      patch('merge', `${maps}/a`, { metadata: { resourceVersion: '{rv}' } }),
      patch('merge', `${maps}/a`, { metadata: { resourceVersion: null }, data: { z: '1' } }),
      patch(
        'merge',
        `${maps}/a`,
        { metadata: { uid: '11111111-2222-3333-4444-555555555555' } },
        { differs: { id: 'repeated-causes', at: ['body.details.causes'] } },
      ),
      patch('merge', `${maps}/a`, { metadata: { uid: '{uid}' } }),
      patch('merge', `${maps}/a`, { metadata: { namespace: 'other' } }),
      patch('merge', `${maps}/a`, { metadata: null }),
      patch(
        'merge',
        `${maps}/a`,
        { metadata: { labels: { 'bad key': 'x' } } },
        { differs: { id: 'repeated-causes', at: ['body.details.causes'] } },
      ),
      patch('merge', `${maps}/a?force=true`, {}),
      patch('merge', `${maps}/gone`, {}),
      patch('merge', `${maps}/a`, { metadata: { managedFields: null } }),
      patch('merge', `${maps}/a`, { metadata: { managedFields: [{}] } }),
      patch('merge', `${maps}/a`, { data: { after: 'reset' } }),
    ],
  },
  {
    name: 'patches: strategic merge patch',
    steps: [
      post('/api/v1/namespaces/{ns}/pods', {
        metadata: { name: 'p', finalizers: ['a.example/x'] },
        spec: {
          automountServiceAccountToken: false,
          containers: [
            { name: 'c', image: 'i', env: [{ name: 'A', value: '1' }] },
            { name: 'd', image: 'j' },
          ],
        },
      }),
      patch('strategic', '/api/v1/namespaces/{ns}/pods/p', { spec: { containers: [{ name: 'c', image: 'k' }] } }),
      patch('strategic', '/api/v1/namespaces/{ns}/pods/p', {
        metadata: { finalizers: ['b.example/y'], labels: { a: 'b' } },
      }),
      patch('strategic', '/api/v1/namespaces/{ns}/pods/p', { metadata: { $deleteFromPrimitiveList: 1 } }),
      patch('strategic', '/api/v1/namespaces/{ns}/pods/p', {
        metadata: { '$deleteFromPrimitiveList/finalizers': ['a.example/x'] },
      }),
      patch('strategic', '/api/v1/namespaces/{ns}/pods/p', { spec: { containers: [{ image: 'x' }] } }),
      patch('strategic', '/api/v1/namespaces/{ns}/pods/p', {
        spec: { containers: [{ $patch: 'nonsense', name: 'c' }] },
      }),
      patch('strategic', '/api/v1/namespaces/{ns}/pods/p', []),
      patch('strategic', '/api/v1/namespaces/{ns}/pods/p', { spec: { containers: [{ name: 'c', env: [] }] } }),
      patch(
        'strategic',
        '/api/v1/namespaces/{ns}/pods/p',
        { spec: { nodeName: 'n' } },
        { differs: { id: 'spec-diff', at: ['body.message', 'body.details.causes.0.message'] } },
      ),
      patch('merge', '/api/v1/namespaces/{ns}/pods/p', { metadata: { finalizers: null } }),
    ],
  },
  {
    name: 'patches: server-side apply, conflicts, force and what it refuses',
    steps: [
      patch('apply', `${maps}/a?fieldManager=one`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', labels: { l: '1' } },
        data: { x: '1', y: '1' },
      }),
      patch('apply', `${maps}/a?fieldManager=one`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', labels: { l: '1' } },
        data: { x: '1', y: '1' },
      }),
      patch('apply', `${maps}/a?fieldManager=two`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a' },
        data: { x: '2' },
      }),
      patch('apply', `${maps}/a?fieldManager=two&force=true`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a' },
        data: { x: '2' },
      }),
      patch('apply', `${maps}/a?fieldManager=one`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a' },
        data: { y: '1' },
      }),
      patch('apply', `${maps}/a?fieldManager=one`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }),
      patch('merge', `${maps}/a?fieldManager=three`, { data: { z: '1', x: '3' } }),
      patch('apply', `${maps}/a?fieldManager=two`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a' },
        data: { x: '2', z: '2' },
      }),
      patch('apply', `${maps}/a`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }),
      patch('apply', `${maps}/a?fieldManager=one&force=maybe`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a' },
      }),
      patch('apply', `${maps}/a?fieldManager=one`, { metadata: { name: 'a' } }),
      patch('apply', `${maps}/a?fieldManager=one`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }),
      patch('apply', `${maps}/a?fieldManager=one`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } }),
      patch('apply', `${maps}/a?fieldManager=one`, { apiVersion: 'v1', kind: 'ConfigMap' }),
      patch('apply', `${maps}/new?fieldManager=one`, { apiVersion: 'v1', kind: 'ConfigMap' }),
      patch('apply', `${maps}/a?fieldManager=one`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', namespace: 'x' },
      }),
      patch('apply', `${maps}/a?fieldManager=one`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', managedFields: [] },
      }),
      patch('apply', `${maps}/a?fieldManager=one`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a' },
        bogus: 1,
      }),
      patch('apply', `${maps}/a?fieldManager=one`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a' },
        data: { x: 1 },
      }),
      patch('apply', `${maps}/a?fieldManager=one`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', resourceVersion: '1' },
      }),
      patch('apply', `${maps}/new?fieldManager=one`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'new', uid: 'x' },
      }),
      patch('apply', `${maps}/new?fieldManager=one`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'new', resourceVersion: '1' },
      }),
      patch('apply', `${maps}/dry?fieldManager=one&dryRun=All`, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'dry' },
      }),
      patch(
        'apply',
        `${maps}/a?fieldManager=one`,
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  fromYaml: "yes"\n',
      ),
      patch('apply', `${maps}/a?fieldManager=one`, 'a: [', { differs: { id: 'yaml-words', at: ['body.message'] } }),
      patch('apply', `${maps}/a?fieldManager=one`, '- 1'),
      patch(
        'apply',
        `${maps}/a?fieldManager=one`,
        'kind: ConfigMap\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n',
      ),
      get(`${maps}/a`),
      patch('apply', '/apis/apps/v1/namespaces/{ns}/deployments/d?fieldManager=one', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: {
            metadata: { labels: { a: 'b' } },
            spec: {
              containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }], env: [{ name: 'A', value: '1' }] }],
            },
          },
        },
      }),
      patch('apply', '/apis/apps/v1/namespaces/{ns}/deployments/d/status?fieldManager=statuses', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        status: { replicas: 1, observedGeneration: 1 },
      }),
      patch('apply', '/apis/apps/v1/namespaces/{ns}/deployments/d?fieldManager=two', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        spec: {
          replicas: 3,
          template: {
            spec: {
              containers: [
                { name: 'c', image: 'other' },
                { name: 'e', image: 'f' },
              ],
            },
          },
        },
      }),
      patch('apply', '/apis/apps/v1/namespaces/{ns}/deployments/none/status?fieldManager=one', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'none' },
        status: {},
      }),
    ],
  },
];
