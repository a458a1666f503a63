import { del, get, patch, post, put, type Scenario, type Step } from '../scenario.ts';

const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const storage = '/apis/storage.k8s.io/v1';
const flowControl = '/apis/flowcontrol.apiserver.k8s.io/v1';
const autoscaling = '/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers';
const controllers = '/api/v1/namespaces/{ns}/replicationcontrollers';
const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };

/** The same object as kubectl shows it; what the columns are described with is not compared. */
const row = (path: string): Step =>
  get(path, {
    accept: table,
    differs: {
      id: 'column-descriptions',
      at: Array.from({ length: 12 }, (_, at) => `body.columnDefinitions.${at}.description`),
    },
  });

const registration = '/apis/apiregistration.k8s.io/v1/apiservices';
const remote = {
  group: '{id}.example.com',
  version: 'v1',
  groupPriorityMinimum: 1000,
  versionPriority: 15,
  service: { namespace: '{ns}', name: 'none' },
};

/** What the server made itself has no manager here. */
const systemObject = (path: string): Step =>
  get(`/apis/${path}`, { differs: { id: 'unowned-objects', at: ['body.metadata.managedFields'] } });

export const kinds: readonly Scenario[] = [
  {
    name: 'kinds: classes, drivers and attachments of storage',
    steps: [
      post(`${storage}/storageclasses`, { metadata: { name: 'fast-{id}' }, provisioner: 'example.com/Disk' }),
      post(`${storage}/storageclasses`, { metadata: { name: 'none-{id}' } }),
      post(`${storage}/storageclasses`, {
        metadata: { name: 'wrong-{id}' },
        provisioner: 'not a name',
        reclaimPolicy: 'Recycle',
        volumeBindingMode: 'Never',
      }),
      patch('merge', `${storage}/storageclasses/fast-{id}`, { provisioner: 'other', reclaimPolicy: 'Retain' }),
      patch('merge', `${storage}/storageclasses/fast-{id}`, { allowVolumeExpansion: true }),
      row(`${storage}/storageclasses/fast-{id}`),
      del(`${storage}/storageclasses/fast-{id}`),
      post(`${storage}/csidrivers`, { metadata: { name: 'driver-{id}' } }),
      post(`${storage}/csidrivers`, { metadata: { name: 'driver2-{id}' }, spec: {} }),
      post(`${storage}/csidrivers`, {
        metadata: { name: 'driver3-{id}' },
        spec: {
          fsGroupPolicy: 'Some',
          volumeLifecycleModes: ['Sometimes'],
          tokenRequests: [{ audience: 'a', expirationSeconds: 5 }, { audience: 'a' }],
          nodeAllocatableUpdatePeriodSeconds: 5,
        },
      }),
      patch('merge', `${storage}/csidrivers/driver2-{id}`, { spec: { podInfoOnMount: true } }),
      patch('merge', `${storage}/csidrivers/driver2-{id}`, { spec: { attachRequired: false } }),
      row(`${storage}/csidrivers/driver2-{id}`),
      del(`${storage}/csidrivers/driver2-{id}`),
      post(`${storage}/csinodes`, { metadata: { name: 'node-{id}' }, spec: { drivers: null } }),
      post(`${storage}/csinodes`, {
        metadata: { name: 'node2-{id}' },
        spec: { drivers: [{ name: 'd', nodeID: 'n', allocatable: { count: 3 } }] },
      }),
      post(`${storage}/csinodes`, {
        metadata: { name: 'node3-{id}' },
        spec: {
          drivers: [
            { name: 'd', nodeID: '', topologyKeys: ['a', 'a'] },
            { name: 'd', nodeID: 'n', allocatable: { count: -3 } },
          ],
        },
      }),
      row(`${storage}/csinodes/node2-{id}`),
      del(`${storage}/csinodes/node2-{id}`),
      post(`${storage}/volumeattachments`, {
        metadata: { name: 'va-{id}' },
        spec: { attacher: 'example.com', nodeName: 'n', source: { persistentVolumeName: 'pv' } },
      }),
      post(`${storage}/volumeattachments`, { metadata: { name: 'va2-{id}' }, spec: { attacher: 'a', nodeName: 'n' } }),
      patch('merge', `${storage}/volumeattachments/va-{id}`, { spec: { attacher: 'other' } }),
      patch('merge', `${storage}/volumeattachments/va-{id}/status`, {
        metadata: { labels: { a: 'b' } },
        status: { attached: true, attachmentMetadata: { path: '/dev/x' } },
      }),
      row(`${storage}/volumeattachments/va-{id}`),
      del(`${storage}/volumeattachments/va-{id}`),
      post(
        `${storage}/volumeattributesclasses`,
        { metadata: { name: 'vac-{id}' }, driverName: 'd', parameters: { a: 'b' } },
        { differs: { id: 'volume-protection', at: ['body.metadata.finalizers'] } },
      ),
      post(`${storage}/volumeattributesclasses`, { metadata: { name: 'vac2-{id}' }, driverName: 'd' }),
      patch('merge', `${storage}/volumeattributesclasses/vac-{id}`, { parameters: { a: 'c' } }),
      post(`${storage}/namespaces/{ns}/csistoragecapacities`, {
        metadata: { name: 'cap' },
        storageClassName: 'fast',
        capacity: '1Gi',
        nodeTopology: { matchLabels: { zone: 'a' } },
      }),
      patch('merge', `${storage}/namespaces/{ns}/csistoragecapacities/cap`, { storageClassName: 'slow' }),
      row(`${storage}/namespaces/{ns}/csistoragecapacities/cap`),
      get(`${storage}`),
    ],
  },
  {
    name: 'kinds: replication controllers and pod templates',
    steps: [
      post(controllers, { metadata: { name: 'rc' }, spec: { template } }),
      post(controllers, { metadata: { name: 'rc2' }, spec: { replicas: -1 } }),
      post(controllers, { metadata: { name: 'rc3' }, spec: { selector: { app: 'y' }, template } }),
      post(controllers, {
        metadata: { name: 'rc4' },
        spec: { replicas: 0, template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } },
      }),
      post(controllers, { metadata: { name: 'rc5' }, spec: { replicas: 0, template } }),
      get(`${controllers}/rc5/scale`),
      patch('merge', `${controllers}/rc5/scale`, { spec: { replicas: 2 } }),
      patch('merge', `${controllers}/rc5/status`, { status: { replicas: 1, readyReplicas: 2 } }),
      del(`${controllers}/rc5?propagationPolicy=Background`),
      post('/api/v1/namespaces/{ns}/podtemplates', { metadata: { name: 'pt' }, template }),
      post('/api/v1/namespaces/{ns}/podtemplates', { metadata: { name: 'pt2' } }),
      patch('merge', '/api/v1/namespaces/{ns}/podtemplates/pt', { template: { metadata: { labels: { app: 'z' } } } }),
      row('/api/v1/namespaces/{ns}/podtemplates/pt'),
      del('/api/v1/namespaces/{ns}/podtemplates/pt'),
    ],
  },
  {
    name: 'kinds: autoscalers in both versions',
    steps: [
      post(autoscaling, {
        metadata: { name: 'a' },
        spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' } },
      }),
      get('/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers/a'),
      post('/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers', {
        metadata: { name: 'b' },
        spec: {
          maxReplicas: 3,
          targetCPUUtilizationPercentage: 50,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' },
        },
      }),
      get(`${autoscaling}/b`),
      post(autoscaling, {
        metadata: { name: 'c' },
        spec: {
          minReplicas: 2,
          maxReplicas: 3,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' },
          metrics: [
            { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '10Mi' } } },
            {
              type: 'Pods',
              pods: { metric: { name: 'hits' }, target: { type: 'AverageValue', averageValue: '1k' } },
            },
            {
              type: 'External',
              external: { metric: { name: 'queue' }, target: { type: 'Value', value: '30' } },
            },
            {
              type: 'Object',
              object: {
                describedObject: { kind: 'Service', name: 's' },
                metric: { name: 'hits' },
                target: { type: 'Value', value: '30' },
              },
            },
          ],
          behavior: { scaleDown: { stabilizationWindowSeconds: 60 } },
        },
      }),
      get('/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers/c'),
      row(`${autoscaling}/c`),
      post(autoscaling, { metadata: { name: 'd' }, spec: {} }),
      post(autoscaling, {
        metadata: { name: 'd' },
        spec: {
          minReplicas: 5,
          maxReplicas: 3,
          scaleTargetRef: { apiVersion: 'a/b/c', kind: '', name: 'x/y' },
          metrics: [
            { type: 'Nothing' },
            { type: 'Resource', resource: { name: '', target: { type: '', averageUtilization: 0 } } },
            { type: 'Pods', resource: { name: 'cpu', target: { type: 'Value', value: '1' } } },
          ],
          behavior: { scaleUp: { selectPolicy: 'Any', policies: [{ type: 'x', value: 0, periodSeconds: 5000 }] } },
        },
      }),
      get('/apis/autoscaling'),
      get('/apis/autoscaling/v1'),
      get('/apis/autoscaling/v2'),
    ],
  },
  {
    name: 'kinds: flow schemas, priority levels and runtime classes',
    steps: [
      post(`${flowControl}/flowschemas`, {
        metadata: { name: 'fs-{id}' },
        spec: {
          priorityLevelConfiguration: { name: 'workload-low' },
          rules: [
            {
              subjects: [{ kind: 'User', user: { name: 'u' } }],
              resourceRules: [{ verbs: ['*'], apiGroups: [''], resources: ['*'], namespaces: ['*'] }],
            },
          ],
        },
      }),
      post(`${flowControl}/flowschemas`, { metadata: { name: 'fs2-{id}' }, spec: {} }),
      post(`${flowControl}/flowschemas`, {
        metadata: { name: 'fs3-{id}' },
        spec: {
          matchingPrecedence: 1,
          priorityLevelConfiguration: { name: 'x' },
          rules: [
            {},
            {
              subjects: [{ kind: 'Group', user: { name: 'u' } }, { kind: 'None' }],
              resourceRules: [
                { verbs: ['eat'], apiGroups: ['*', ''], resources: [], namespaces: ['A b'] },
                { verbs: ['get', '*'], apiGroups: ['*'], resources: ['*'] },
              ],
              nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['x', '/a b', '/*/c'] }],
            },
          ],
        },
      }),
      post(`${flowControl}/prioritylevelconfigurations`, {
        metadata: { name: 'pl-{id}' },
        spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } },
      }),
      row(`${flowControl}/prioritylevelconfigurations/pl-{id}`),
      post(`${flowControl}/prioritylevelconfigurations`, { metadata: { name: 'pl2-{id}' }, spec: { type: 'Exempt' } }),
      post(`${flowControl}/prioritylevelconfigurations`, { metadata: { name: 'pl3-{id}' }, spec: { type: 'Limited' } }),
      post(`${flowControl}/prioritylevelconfigurations`, {
        metadata: { name: 'pl4-{id}' },
        spec: {
          type: 'Limited',
          limited: {
            nominalConcurrencyShares: -1,
            lendablePercent: 101,
            limitResponse: { type: 'Queue', queuing: { handSize: 70, queues: 64 } },
          },
        },
      }),
      post('/apis/node.k8s.io/v1/runtimeclasses', { metadata: { name: 'rtc-{id}' }, handler: 'runsc' }),
      post('/apis/node.k8s.io/v1/runtimeclasses', { metadata: { name: 'rtc2-{id}' }, handler: 'Not ok' }),
      post('/apis/node.k8s.io/v1/runtimeclasses', { metadata: { name: 'rtc3-{id}' } }),
      patch('merge', '/apis/node.k8s.io/v1/runtimeclasses/rtc-{id}', { handler: 'other' }),
      put('/apis/node.k8s.io/v1/runtimeclasses/rtc4-{id}', { metadata: { name: 'rtc4-{id}' }, handler: 'runsc' }),
      row('/apis/node.k8s.io/v1/runtimeclasses/rtc-{id}'),
      get('/apis/node.k8s.io/v1'),
      get(flowControl),
    ],
  },
  {
    name: 'kinds: what every cluster starts with',
    steps: [
      ...[
        'scheduling.k8s.io/v1/priorityclasses/system-cluster-critical',
        'scheduling.k8s.io/v1/priorityclasses/system-node-critical',
      ].map(systemObject),
      ...['catch-all', 'exempt', 'probes', 'service-accounts'].map((name) =>
        systemObject(`flowcontrol.apiserver.k8s.io/v1/flowschemas/${name}`),
      ),
      ...['catch-all', 'exempt', 'workload-low'].map((name) =>
        systemObject(`flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/${name}`),
      ),
      ...['v1.', 'v1.apps', 'v2.autoscaling', 'v1.storage.k8s.io'].map((name) =>
        systemObject(`apiregistration.k8s.io/v1/apiservices/${name}`),
      ),
      get('/api/v1/namespaces/default/services/kubernetes', {
        differs: { id: 'unowned-objects', at: ['body.metadata.managedFields', 'body.spec.ports.0.targetPort'] },
      }),
      get('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes', {
        differs: { id: 'loopback-endpoints', at: ['status', 'body'] },
      }),
      get('/apis/apiregistration.k8s.io/v1'),
    ],
  },
  {
    name: 'kinds: API services and flow schemas that lead nowhere',
    steps: [
      post(registration, { metadata: { name: 'v1.{id}.example.com' }, spec: remote }),
      get(`${registration}/v1.{id}.example.com`, { untilAt: 'status.conditions.0.reason' }),
      row(`${registration}/v1.{id}.example.com`),
      post(registration, { metadata: { name: 'wrong' }, spec: { ...remote, groupPriorityMinimum: 0, service: {} } }),
      post(registration, {
        metadata: { name: 'v2.{id}.example.com' },
        spec: { ...remote, version: 'v2', service: null, insecureSkipTLSVerify: true },
      }),
      patch('merge', `${registration}/v1.{id}.example.com`, { spec: { versionPriority: 2000 } }),
      del(`${registration}/v1.{id}.example.com`),
      post('/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas', {
        metadata: { name: 'dangling-{id}' },
        spec: { priorityLevelConfiguration: { name: 'none-{id}' } },
      }),
      get('/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/dangling-{id}', { untilAt: 'status.conditions.0.reason' }),
    ],
  },
];
