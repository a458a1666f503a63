import { get, patch, post, put, type Scenario } from '../scenario.ts';

const maps = '/api/v1/namespaces/{ns}/configmaps';
const leases = '/apis/coordination.k8s.io/v1/namespaces/{ns}/leases';

export const update: readonly Scenario[] = [
  {
    name: 'update: versions, uids, names and what cannot change',
    steps: [
      post(
        maps,
        { metadata: { name: 'a', labels: { x: '1' } }, data: { k: '1' } },
        { save: { rv: 'metadata.resourceVersion', uid: 'metadata.uid' } },
      ),
      put(
        `${maps}/a`,
        { metadata: { name: 'a', resourceVersion: '{rv}' }, data: { k: '2' } },
        { save: { rv2: 'metadata.resourceVersion' } },
      ),
      put(`${maps}/a`, { metadata: { name: 'a', resourceVersion: '{rv}' }, data: { k: '3' } }),
      put(`${maps}/a`, { metadata: { name: 'a', resourceVersion: '{rv2}' }, data: { k: '2' } }),
      put(`${maps}/a`, { metadata: { name: 'a' }, data: { k: '4' } }),
      put(`${maps}/a`, { metadata: { name: 'a', resourceVersion: '0' }, data: { k: '5' } }),
      put(`${maps}/a`, { metadata: { name: 'a', resourceVersion: 'abc' }, data: { k: '6' } }),
      put(`${maps}/a`, { metadata: { name: 'a', uid: '11111111-2222-3333-4444-555555555555' } }),
      put(`${maps}/a`, { metadata: { name: 'a', uid: '{uid}' } }),
      put(`${maps}/a`, { metadata: { name: 'b' } }),
      put(`${maps}/a`, {}),
      put(`${maps}/a`, { metadata: { name: 'a', namespace: 'other' } }),
      put(`${maps}/gone`, { metadata: { name: 'gone' } }),
      put(`${maps}/a?dryRun=All`, { metadata: { name: 'a' }, data: { dry: 'yes' } }),
      get(`${maps}/a`),
      put(maps, { metadata: { name: 'a' } }),
      put(`${maps}/a`, { metadata: { name: 'a', creationTimestamp: '2001-01-01T00:00:00Z', generateName: 'x-' } }),
      put(
        `${maps}/a`,
        { metadata: { name: 'a', labels: { 'bad!': '' } } },
        { differs: { id: 'repeated-causes', at: ['body.details.causes'] } },
      ),
      put(`${maps}/a?fieldManager=other`, { metadata: { name: 'a' }, data: { k: '9', l: '1' } }),
      put(`${maps}/a`, { metadata: { name: 'a', managedFields: [{}] }, data: { k: '9', l: '1' } }),
    ],
  },
  {
    name: 'update: kinds that need a version, that are made by an update, and that cannot be changed',
    steps: [
      put(`${leases}/made`, { metadata: { name: 'made' }, spec: { holderIdentity: 'a' } }),
      put(`${leases}/made`, { metadata: { name: 'made' }, spec: { holderIdentity: 'b' } }),
      put('/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles/made', {
        metadata: { name: 'made' },
        rules: [{ apiGroups: [''], resources: ['x'], verbs: ['x'] }],
      }),
      put('/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles/made', {
        metadata: { name: 'made' },
        rules: [{ apiGroups: [''], resources: ['x'], verbs: ['y'] }],
      }),
      put('/api/v1/namespaces/{ns}/services/made', { metadata: { name: 'made' }, spec: { ports: [{ port: 1 }] } }),
      post(maps, { metadata: { name: 'fixed' }, immutable: true, data: { a: '1' } }),
      put(`${maps}/fixed`, { metadata: { name: 'fixed' }, immutable: true, data: { a: '2' } }),
      patch('merge', `${maps}/fixed`, { immutable: false }),
      post('/api/v1/namespaces/{ns}/secrets', { metadata: { name: 's' }, type: 'a/b' }),
      patch('merge', '/api/v1/namespaces/{ns}/secrets/s', { type: 'c/d' }),
      put('/api/v1/namespaces/{ns}', { metadata: { name: '{ns}', labels: { a: 'b' } } }),
      patch('merge', '/api/v1/namespaces/{ns}', { metadata: { labels: { c: 'd' } } }),
    ],
  },
  {
    name: 'update: status, scale and generation of a deployment',
    steps: [
      post('/apis/apps/v1/namespaces/{ns}/deployments', {
        metadata: { name: 'd' },
        spec: {
          replicas: 2,
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
        status: { replicas: 7 },
      }),
      get('/apis/apps/v1/namespaces/{ns}/deployments/d/status'),
      patch('merge', '/apis/apps/v1/namespaces/{ns}/deployments/d/status', {
        status: { replicas: 2 },
        spec: { replicas: 9 },
        metadata: { labels: { l: 'x' } },
      }),
      patch('merge', '/apis/apps/v1/namespaces/{ns}/deployments/d', {
        status: { replicas: 5 },
        metadata: { annotations: { a: 'b' } },
      }),
      patch('strategic', '/apis/apps/v1/namespaces/{ns}/deployments/d', {
        spec: { template: { spec: { containers: [{ name: 'c', image: 'j' }] } } },
      }),
      get('/apis/apps/v1/namespaces/{ns}/deployments/d/scale'),
      put('/apis/apps/v1/namespaces/{ns}/deployments/d/scale', {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'd' },
        spec: { replicas: 4 },
      }),
      patch('merge', '/apis/apps/v1/namespaces/{ns}/deployments/d/scale', { spec: { replicas: 5 } }),
      patch('json', '/apis/apps/v1/namespaces/{ns}/deployments/d/scale', [
        { op: 'replace', path: '/spec/replicas', value: 6 },
      ]),
      patch('merge', '/apis/apps/v1/namespaces/{ns}/deployments/d/scale', { spec: { replicas: -1 } }),
      patch('apply', '/apis/apps/v1/namespaces/{ns}/deployments/d/scale?fieldManager=scaler&force=true', {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'd' },
        spec: { replicas: 8 },
      }),
      put('/apis/apps/v1/namespaces/{ns}/deployments/d/scale', {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'd', resourceVersion: '1' },
        spec: { replicas: 4 },
      }),
      put('/apis/apps/v1/namespaces/{ns}/deployments/d/scale', { metadata: { name: 'other' }, spec: { replicas: 4 } }),
      get('/apis/apps/v1/namespaces/{ns}/deployments/none/scale'),
      patch('merge', '/apis/apps/v1/namespaces/{ns}/deployments/d', {
        spec: { selector: { matchLabels: { z: 'z' } } },
      }),
      get('/apis/apps/v1/namespaces/{ns}/deployments/d'),
      post('/apis/apps/v1/namespaces/{ns}/deployments/d/scale', {}),
      get('/apis/apps/v1/namespaces/{ns}/deployments/d/nothing'),
      get(`${maps}/kube-root-ca.crt/status`),
    ],
  },
];
