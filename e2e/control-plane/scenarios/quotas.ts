import { del, get, patch, post, type Scenario } from '../scenario.ts';

const quotas = '/api/v1/namespaces/{ns}/resourcequotas';
const maps = '/api/v1/namespaces/{ns}/configmaps';
const pods = '/api/v1/namespaces/{ns}/pods';
const services = '/api/v1/namespaces/{ns}/services';
const claims = '/api/v1/namespaces/{ns}/persistentvolumeclaims';

const pod = (name: string, resources: object, spec: object = {}) => ({
  metadata: { name },
  spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i', resources }], ...spec },
});
const protectedClaim = { id: 'volume-protection', at: ['body.metadata.finalizers'] };

export const quotaScenarios: readonly Scenario[] = [
  {
    name: 'quotas: what they may limit',
    steps: [
      post(quotas, { metadata: { name: 'a' }, spec: { hard: { apples: '1' } } }),
      post(quotas, { metadata: { name: 'a' }, spec: { hard: { pods: '1.5' } } }),
      post(quotas, { metadata: { name: 'a' }, spec: { hard: { pods: '-1' } } }),
      post(quotas, { metadata: { name: 'a' }, spec: { hard: { pods: '1' }, scopes: ['Some'] } }),
      post(quotas, { metadata: { name: 'a' }, spec: { hard: { secrets: '1' }, scopes: ['BestEffort'] } }),
      post(quotas, { metadata: { name: 'a' }, spec: { hard: { pods: '1' }, scopes: ['BestEffort', 'NotBestEffort'] } }),
      post(quotas, {
        metadata: { name: 'a' },
        spec: {
          hard: { pods: '1' },
          scopeSelector: {
            matchExpressions: [
              { scopeName: 'PriorityClass', operator: 'In' },
              { scopeName: 'Terminating', operator: 'In', values: ['x'] },
            ],
          },
        },
      }),
      post(quotas, { metadata: { name: 'b' }, spec: { hard: { pods: '1' }, scopes: ['Terminating'] } }),
      // Both controllers have counted: the answer to the deletion has the status.
      get(`${quotas}/b`, { untilAt: 'status.used.pods' }),
      patch('merge', `${quotas}/b`, { spec: { scopes: ['NotTerminating'] } }),
      del(`${quotas}/b`),
    ],
  },
  {
    name: 'quotas: of objects by their number',
    steps: [
      post(quotas, {
        metadata: { name: 'q' },
        spec: { hard: { configmaps: '3', 'count/leases.coordination.k8s.io': '1' } },
      }),
      get(`${quotas}/q`, { untilAt: 'status.used.configmaps' }),
      post(maps, { metadata: { name: 'a' } }),
      post(`${maps}?dryRun=All`, { metadata: { name: 'dry' } }),
      post(maps, { metadata: { name: 'b' } }),
      post(maps, { metadata: { name: 'c' } }),
      post(`${maps}?dryRun=All`, { metadata: { name: 'dry' } }),
      patch('apply', `${maps}/applied?fieldManager=x`, { apiVersion: 'v1', kind: 'ConfigMap' }),
      get(`${quotas}/q`),
      get(`${quotas}/q`, {
        accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
        differs: {
          id: 'column-descriptions',
          at: [0, 1, 2, 3].map((at) => `body.columnDefinitions.${at}.description`),
        },
      }),
      post('/apis/coordination.k8s.io/v1/namespaces/{ns}/leases', { metadata: { name: 'a' } }),
      post('/apis/coordination.k8s.io/v1/namespaces/{ns}/leases', { metadata: { name: 'b' } }),
      post(quotas, { metadata: { name: 'r' }, spec: { hard: { resourcequotas: '2' } } }),
      get(`${quotas}/r`, { untilAt: 'status.used.resourcequotas' }),
      post(quotas, { metadata: { name: 's' }, spec: { hard: {} } }),
    ],
  },
  {
    name: 'quotas: of what pods, services and claims ask for',
    steps: [
      post(quotas, {
        metadata: { name: 'compute' },
        spec: { hard: { pods: '3', 'requests.cpu': '1', 'limits.memory': '1Gi' } },
      }),
      get(`${quotas}/compute`, { untilAt: 'status.used.pods' }),
      post(pods, pod('silent', {})),
      post(
        pods,
        pod(
          'init',
          { requests: { cpu: '1' } },
          {
            initContainers: [
              { name: 'i', image: 'i' },
              { name: 'a', image: 'i' },
            ],
          },
        ),
      ),
      post(pods, pod('a', { requests: { cpu: '600m' }, limits: { cpu: '1', memory: '512Mi' } })),
      post(pods, pod('b', { requests: { cpu: '600m' }, limits: { cpu: '1', memory: '512Mi' } })),
      post(pods, pod('c', { requests: { cpu: '600m' }, limits: { cpu: '1', memory: '2Gi' } })),
      get(`${quotas}/compute`),
      post(quotas, {
        metadata: { name: 'net' },
        spec: { hard: { services: '2', 'services.nodeports': '1', 'services.loadbalancers': '0' } },
      }),
      get(`${quotas}/net`, { untilAt: 'status.used.services' }),
      post(services, { metadata: { name: 'lb' }, spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } }),
      post(services, {
        metadata: { name: 'plain' },
        spec: {
          ports: [
            { name: 'a', port: 80 },
            { name: 'b', port: 81 },
          ],
        },
      }),
      patch('merge', `${services}/plain`, { spec: { type: 'NodePort' } }),
      get(`${quotas}/net`),
      post(quotas, {
        metadata: { name: 'disk' },
        spec: {
          hard: {
            persistentvolumeclaims: '2',
            'requests.storage': '3Gi',
            'gold.storageclass.storage.k8s.io/requests.storage': '1Gi',
          },
        },
      }),
      get(`${quotas}/disk`, { untilAt: 'status.used.persistentvolumeclaims' }),
      post(
        claims,
        {
          metadata: { name: 'a' },
          spec: {
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
            storageClassName: 'gold',
          },
        },
        { differs: protectedClaim },
      ),
      post(claims, {
        metadata: { name: 'b' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'gold' },
      }),
      post(claims, {
        metadata: { name: 'c' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } }, storageClassName: 'tin' },
      }),
      get(`${quotas}/disk`),
    ],
  },
];
