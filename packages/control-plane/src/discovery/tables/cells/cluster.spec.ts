import { describe, expect, it } from 'vitest';
import { meta, type RowCase, rowOf } from '../../../../fixtures/table-row.ts';

const binding = {
  roleRef: { kind: 'ClusterRole', name: 'view' },
  subjects: [
    { kind: 'User', name: 'u' },
    { kind: 'User', name: 'v' },
    { kind: 'Group', name: 'g' },
    { kind: 'ServiceAccount', name: 's', namespace: 'n' },
  ],
};

const cases: readonly RowCase[] = [
  ['a Namespace by its phase', '/namespaces', { status: { phase: 'Active' } }, ['x', 'Active', '120m']],
  ['a ConfigMap by its keys', '/configmaps', { data: { a: '' }, binaryData: { b: '' } }, ['x', 2, '120m']],
  ['a Secret by its type and keys', '/secrets', { type: 'Opaque', data: { a: '' } }, ['x', 'Opaque', 1, '120m']],
  ['a ServiceAccount', '/serviceaccounts', {}, ['x', '120m']],
  ['a Lease by its holder', 'coordination.k8s.io/leases', { spec: { holderIdentity: 'me' } }, ['x', 'me', '120m']],
  [
    'webhooks by their number',
    'admissionregistration.k8s.io/validatingwebhookconfigurations',
    { webhooks: [{}, {}] },
    ['x', 2, '120m'],
  ],
  [
    'a PriorityClass by its value',
    'scheduling.k8s.io/priorityclasses',
    { value: 7, preemptionPolicy: 'Never' },
    ['x', 7, false, '120m', 'Never'],
  ],
  [
    'a RoleBinding by its role and subjects',
    'rbac.authorization.k8s.io/rolebindings',
    binding,
    ['x', 'ClusterRole/view', '120m', 'u, v', 'g', 'n/s'],
  ],
  [
    'an approved CertificateSigningRequest that is signed',
    'certificates.k8s.io/certificatesigningrequests',
    {
      spec: { signerName: 'example.com/x', username: 'u', expirationSeconds: 3600 },
      status: { conditions: [{ type: 'Approved' }], certificate: 'AAAA' },
    },
    ['x', '120m', 'example.com/x', 'u', '60m', 'Approved,Issued'],
  ],
  [
    'a CertificateSigningRequest that was denied after it was approved',
    'certificates.k8s.io/certificatesigningrequests',
    { spec: { username: 'u' }, status: { conditions: [{ type: 'Approved' }, { type: 'Denied' }, { type: 'Failed' }] } },
    ['x', '120m', '<none>', 'u', '<none>', 'Denied,Failed'],
  ],
  [
    'a Node by its state and roles',
    '/nodes',
    {
      ...meta({
        labels: {
          'node-role.kubernetes.io/worker': '',
          'node-role.kubernetes.io/control-plane': '',
          'kubernetes.io/role': 'r',
        },
      }),
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [{ type: 'InternalIP', address: '1.2.3.4' }],
        nodeInfo: {
          kubeletVersion: 'v1.36.0',
          osImage: 'Debian',
          kernelVersion: '6.1',
          containerRuntimeVersion: 'containerd://2',
          architecture: 'amd64',
        },
      },
    },
    [
      'x',
      'Ready,SchedulingDisabled',
      'control-plane,r,worker',
      '120m',
      'v1.36.0',
      '1.2.3.4',
      '<none>',
      'Debian',
      '6.1 (amd64)',
      'containerd://2',
    ],
  ],
  [
    'a Node that never reported',
    '/nodes',
    {},
    ['x', 'Unknown', '<none>', '120m', '', '<none>', '<none>', '<unknown>', '<unknown>', '<unknown>'],
  ],
  [
    'a PersistentVolume by its claim',
    '/persistentvolumes',
    {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: 'fast',
        claimRef: { namespace: 'n', name: 'c' },
        volumeMode: 'Filesystem',
      },
      status: { phase: 'Bound' },
    },
    ['x', '1Gi', 'RWO,RWX', 'Retain', 'Bound', 'n/c', 'fast', '<unset>', '', '120m', 'Filesystem'],
  ],
  [
    'a PersistentVolumeClaim that is bound',
    '/persistentvolumeclaims',
    {
      spec: { volumeName: 'v', storageClassName: 'fast' },
      status: { phase: 'Bound', accessModes: ['ReadWriteOncePod'], capacity: { storage: '1Gi' } },
    },
    ['x', 'Bound', 'v', '1Gi', 'RWOP', 'fast', '<unset>', '120m', '<unset>'],
  ],
  [
    'a PersistentVolumeClaim that waits, whatever it asked for',
    '/persistentvolumeclaims',
    { status: { phase: 'Pending' } },
    ['x', 'Pending', '', '', '', '', '<unset>', '120m', '<unset>'],
  ],
  [
    'an Event by when it was seen',
    '/events',
    {
      involvedObject: { kind: 'Pod', name: 'p', fieldPath: 'spec.x' },
      type: 'Normal',
      reason: 'R',
      message: ' hi \n',
      source: { component: 'c', host: 'h' },
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T01:00:00Z',
      count: 4,
    },
    ['60m', 'Normal', 'R', 'pod/p', 'spec.x', 'c, h', 'hi', '120m', 4, 'x'],
  ],
  [
    'an Event in a series',
    '/events',
    {
      apiVersion: 'events.k8s.io/v1',
      regarding: { kind: 'Pod', name: 'p' },
      type: 'Normal',
      reason: 'R',
      note: 'hey',
      reportingController: 'ctl',
      reportingInstance: 'i',
      eventTime: '2026-01-01T00:00:00.000000Z',
      series: { count: 9, lastObservedTime: '2026-01-01T01:00:00.000000Z' },
    },
    ['60m', 'Normal', 'R', 'pod/p', '', 'ctl, i', 'hey', '120m', 9, 'x'],
  ],
];

describe('kubectl get shows', () => {
  it.each(cases)('%s', (_, storage, object, cells) => {
    expect(rowOf(storage, object)).toEqual(cells);
  });
});
