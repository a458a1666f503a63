import { get, post, type Scenario } from '../scenario.ts';

const maps = '/api/v1/namespaces/{ns}/configmaps';

export const create: readonly Scenario[] = [
  {
    name: 'create: an object, twice, by generated name, dry, and fields that it must not set',
    steps: [
      post(maps, { metadata: { name: 'a', labels: { app: 'x' } }, data: { k: 'v' } }),
      post(maps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }),
      get(`${maps}/a`),
      post(maps, { metadata: { generateName: 'gen-' } }),
      post(maps, { metadata: { generateName: 'gen-' } }, { save: { generated: 'metadata.name' } }),
      get(`${maps}/{generated}`),
      post(maps, {}),
      post(maps, { metadata: {} }),
      post(maps, { metadata: { name: 'Bad_Name' } }),
      post(maps, { metadata: { name: 'b', resourceVersion: '12' } }),
      post(maps, { metadata: { name: 'c', namespace: 'other' } }),
      post(`${maps}?dryRun=All`, { metadata: { name: 'dry' }, data: { a: 'b' } }),
      get(`${maps}/dry`),
      post(`${maps}?dryRun=All`, { metadata: { generateName: 'dry-' } }),
      post(`${maps}?dryRun=Some`, { metadata: { name: 'dry' } }),
      post(`${maps}?dryRun=All`, { metadata: { name: 'a' } }),
      post(maps, {
        metadata: {
          name: 'system',
          uid: '11111111-2222-3333-4444-555555555555',
          creationTimestamp: '2001-01-01T00:00:00Z',
          deletionTimestamp: '2001-01-01T00:00:00Z',
          generation: 7,
          selfLink: '/x',
        },
      }),
      post(maps, { metadata: { name: 'labels', labels: { 'bad key!': 'v' }, annotations: { 'also bad!': 'x' } } }),
      post(maps, { metadata: { name: 'label-value', labels: { a: 'not ok!' } } }),
      post(maps, { metadata: { name: 'finalizers', finalizers: ['nodomain', 'example.com/ok'] } }),
      post(maps, {
        metadata: { name: 'owners', ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: '', uid: '' }] },
      }),
      post(maps, {
        metadata: {
          name: 'same-owners',
          ownerReferences: [
            { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u1' },
            { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u1' },
          ],
        },
      }),
      post('/api/v1/namespaces/nowhere/configmaps', { metadata: { name: 'a' } }),
      post('/api/v1/configmaps', { metadata: { name: 'a' } }),
      post('/api/v1/configmaps', { metadata: { name: 'a', namespace: '{ns}' } }),
      post(`${maps}/a`, { metadata: { name: 'a' } }),
      post(`${maps}?fieldManager=me`, { metadata: { name: 'managed', labels: { a: 'b' } }, data: { x: 'y' } }),
      post(`${maps}?fieldManager=${'m'.repeat(129)}`, { metadata: { name: 'long-manager' } }),
      post(maps, { metadata: { name: 'no-agent' } }, { headers: { 'user-agent': 'Mozilla (x)/1' } }),
      post(maps, { metadata: { name: 'immutable' }, immutable: true, binaryData: { b: 'aGk=' } }),
      post(maps, { metadata: { name: 'keys' }, data: { 'not/ok': 'x' }, binaryData: { 'not/ok': 'aGk=' } }),
    ],
  },
  {
    name: 'create: kinds that the server completes',
    steps: [
      post('/api/v1/namespaces', { metadata: { name: 'extra-{id}' } }),
      get('/api/v1/namespaces/extra-{id}'),
      post('/api/v1/namespaces/{ns}/secrets', { metadata: { name: 's' }, stringData: { a: 'b' } }),
      post('/api/v1/namespaces/{ns}/secrets', { metadata: { name: 's2' }, type: 'kubernetes.io/tls', data: {} }),
      post('/api/v1/namespaces/{ns}/serviceaccounts', { metadata: { name: 'sa' } }),
      post('/apis/coordination.k8s.io/v1/namespaces/{ns}/leases', {
        metadata: { name: 'l' },
        spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2026-01-02T03:04:05.123456Z' },
      }),
      post('/apis/batch/v1/namespaces/{ns}/jobs', {
        metadata: { name: 'j' },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
      }),
      post('/apis/apps/v1/namespaces/{ns}/deployments', {
        metadata: { name: 'd' },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      }),
      post('/api/v1/namespaces/{ns}/services', {
        metadata: { name: 'svc' },
        spec: { ports: [{ port: 80 }], selector: { a: 'b' } },
      }),
      post('/api/v1/namespaces/{ns}/pods', {
        metadata: { name: 'p' },
        spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] },
      }),
      post('/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles', {
        metadata: { name: 'r' },
        rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
      }),
      post('/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets', {
        metadata: { name: 'pdb' },
        spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } },
      }),
      post('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'pc-{id}' }, value: 5 }),
      post('/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies', {
        metadata: { name: 'np' },
        spec: { podSelector: {} },
      }),
    ],
  },
];
