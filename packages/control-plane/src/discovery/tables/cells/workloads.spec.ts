import { describe, expect, it } from 'vitest';
import { meta, type RowCase, rowOf } from '../../../../fixtures/table-row.ts';

const selector = { matchLabels: { app: 'w' } };
const template = {
  spec: {
    containers: [
      { name: 'a', image: 'i:1' },
      { name: 'b', image: 'j:2' },
    ],
  },
};

const cases: readonly RowCase[] = [
  [
    'a Deployment by its replicas',
    'apps/deployments',
    {
      spec: { replicas: 3, selector, template },
      status: { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 },
    },
    ['x', '1/3', 2, 1, '120m', 'a,b', 'i:1,j:2', 'app=w'],
  ],
  [
    'a ReplicaSet by its replicas',
    'apps/replicasets',
    { spec: { replicas: 3, selector, template }, status: { replicas: 3, readyReplicas: 1 } },
    ['x', 3, 3, 1, '120m', 'a,b', 'i:1,j:2', 'app=w'],
  ],
  [
    'a StatefulSet by its ready replicas',
    'apps/statefulsets',
    { spec: { replicas: 3, selector, template }, status: { readyReplicas: 1 } },
    ['x', '1/3', '120m', 'a,b', 'i:1,j:2'],
  ],
  [
    'a DaemonSet by its nodes',
    'apps/daemonsets',
    {
      spec: { selector, template },
      status: {
        desiredNumberScheduled: 4,
        currentNumberScheduled: 1,
        numberReady: 2,
        updatedNumberScheduled: 3,
        numberAvailable: 1,
      },
    },
    ['x', 4, 1, 2, 3, 1, '<none>', '120m', 'a,b', 'i:1,j:2', 'app=w'],
  ],
  [
    'a ControllerRevision by its owner',
    'apps/controllerrevisions',
    {
      ...meta({
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'u', controller: true }],
      }),
      revision: 3,
    },
    ['x', 'daemonset.apps/d', 3, '120m'],
  ],
  [
    'a running Job by how far and how long it is',
    'batch/jobs',
    { spec: { completions: 3, template, selector }, status: { succeeded: 1, startTime: '2026-01-01T01:00:00Z' } },
    ['x', 'Running', '1/3', '60m', '120m', 'a,b', 'i:1,j:2', 'app=w'],
  ],
  [
    'a complete Job by how long it took',
    'batch/jobs',
    {
      spec: { parallelism: 3, template },
      status: {
        succeeded: 1,
        startTime: '2026-01-01T01:00:00Z',
        completionTime: '2026-01-01T01:00:30Z',
        conditions: [{ type: 'Complete', status: 'True' }],
      },
    },
    ['x', 'Complete', '1/1 of 3', '30s', '120m', 'a,b', 'i:1,j:2', '<none>'],
  ],
  [
    'a Job that is being deleted',
    'batch/jobs',
    { ...meta({ deletionTimestamp: '2026-01-01T01:00:00Z' }), spec: { template } },
    ['x', 'Terminating', '0/1', '', '120m', 'a,b', 'i:1,j:2', '<none>'],
  ],
  [
    'a CronJob by when it last ran',
    'batch/cronjobs',
    {
      spec: { schedule: '* * * * *', suspend: false, jobTemplate: { spec: { template } } },
      status: { active: [{}], lastScheduleTime: '2026-01-01T01:00:00Z' },
    },
    ['x', '* * * * *', '<none>', 'False', 1, '60m', '120m', 'a,b', 'i:1,j:2', '<none>'],
  ],
  [
    'a PodDisruptionBudget by its limits',
    'policy/poddisruptionbudgets',
    { spec: { minAvailable: '50%' }, status: { disruptionsAllowed: 2 } },
    ['x', '50%', 'N/A', 2, '120m'],
  ],
];

describe('kubectl get shows', () => {
  it.each(cases)('%s', (_, storage, object, cells) => {
    expect(rowOf(storage, object)).toEqual(cells);
  });
});
