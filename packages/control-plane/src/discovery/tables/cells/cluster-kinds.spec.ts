import { describe, expect, it } from 'vitest';
import { meta, type RowCase, rowOf } from '../../../../fixtures/table-row.ts';

const template = { metadata: { labels: { app: 'w' } }, spec: { containers: [{ name: 'a', image: 'i:1' }] } };
const scaleTargetRef = { kind: 'Deployment', name: 'd' };

const cases: readonly RowCase[] = [
  [
    'a ReplicationController by its replicas',
    '/replicationcontrollers',
    { spec: { replicas: 3, selector: { app: 'w' }, template }, status: { replicas: 2, readyReplicas: 1 } },
    ['x', 3, 2, 1, '120m', 'a', 'i:1', 'app=w'],
  ],
  ['a PodTemplate by its containers', '/podtemplates', { template }, ['x', 'a', 'i:1', 'app=w']],
  [
    'a ResourceQuota by what is used, limits apart',
    '/resourcequotas',
    { status: { hard: { pods: '2', 'limits.cpu': '3', cpu: '1' }, used: { pods: '1', 'limits.cpu': '500m' } } },
    ['x', 'cpu: 0/1, pods: 1/2', 'limits.cpu: 500m/3', '120m'],
  ],
  [
    'an APIService by why it is not available',
    'apiregistration.k8s.io/apiservices',
    {
      spec: { service: { namespace: 'n', name: 's' } },
      status: { conditions: [{ type: 'Available', status: 'False', reason: 'ServiceNotFound' }] },
    },
    ['x', 'n/s', 'False (ServiceNotFound)', '120m'],
  ],
  [
    'a HorizontalPodAutoscaler by its metrics',
    'autoscaling/horizontalpodautoscalers',
    {
      apiVersion: 'autoscaling/v2',
      spec: {
        scaleTargetRef,
        minReplicas: 1,
        maxReplicas: 3,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
          { type: 'Pods', pods: { target: { averageValue: '1k' } } },
          { type: 'External', external: { target: { value: '1' } } },
        ],
      },
    },
    ['x', 'Deployment/d', 'cpu: <unknown>/80%, <unknown>/1k + 1 more...', '1', 3, 0, '120m'],
  ],
  [
    'a FlowSchema by what it refers to',
    'flowcontrol.apiserver.k8s.io/flowschemas',
    {
      spec: { priorityLevelConfiguration: { name: 'p' }, matchingPrecedence: 9 },
      status: { conditions: [{ type: 'Dangling', status: 'True' }] },
    },
    ['x', 'p', 9, '<none>', '120m', 'True'],
  ],
  [
    'a PriorityLevelConfiguration by its queues',
    'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations',
    { spec: { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' } } } },
    ['x', 'Limited', 5, '<none>', '<none>', '<none>', '120m'],
  ],
  [
    'a StorageClass by whether it is the default',
    'storage.k8s.io/storageclasses',
    { provisioner: 'p', ...meta({ annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } }) },
    ['x (default)', 'p', 'Delete', 'Immediate', false, '120m'],
  ],
  [
    'a VolumeAttachment by its volume and node',
    'storage.k8s.io/volumeattachments',
    { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'v' } }, status: { attached: true } },
    ['x', 'a', 'v', 'n', true, '120m'],
  ],
];

describe('a row shows', () => {
  it.each(cases)('%s', (_what, storage, fields, cells) => {
    expect(rowOf(storage, fields)).toEqual(cells);
  });
});
