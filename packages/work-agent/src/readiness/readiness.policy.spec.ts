import { describe, expect, it } from 'vitest';
import { readinessOf } from './readiness.policy.ts';

type Parts = Readonly<Record<string, unknown>>;

const condition = (type: string, status: string, reason = '', message = '') => ({ type, status, reason, message });

const statusOf = (apiVersion: string, kind: string, { metadata = {}, ...parts }: Parts): string => {
  const object = { apiVersion, kind, metadata: { name: 'a', generation: 2, ...(metadata as object) }, ...parts };
  const { status, message } = readinessOf(object);
  return `${status}: ${message}`;
};

/** Three replicas of the newest generation. */
const counts = {
  observedGeneration: 2,
  replicas: 3,
  updatedReplicas: 3,
  readyReplicas: 3,
  availableReplicas: 3,
  currentReplicas: 3,
  fullyLabeledReplicas: 3,
};

const rolledOut = [condition('Available', 'True'), condition('Progressing', 'True', 'NewReplicaSetAvailable')];

describe('a Deployment', () => {
  const of = (status: Parts, spec: Parts = {}) =>
    statusOf('apps/v1', 'Deployment', {
      spec: { replicas: 3, progressDeadlineSeconds: 600, ...spec },
      status: { ...counts, conditions: rolledOut, ...status },
    });

  it.each<[string, Parts, string]>([
    ['current when all replicas of its generation are available', {}, 'Current: Deployment is available. Replicas: 3'],
    [
      'in progress when its status is of an earlier generation, whatever the counts are',
      { observedGeneration: 1 },
      'InProgress: Deployment generation is 2, but latest observed generation is 1',
    ],
    [
      'in progress before its controller has written a generation',
      { observedGeneration: undefined },
      'InProgress: Deployment status.observedGeneration not found',
    ],
    ['in progress while it has too few pods', { replicas: 2 }, 'InProgress: Replicas: 2/3'],
    ['in progress while pods of an earlier template are counted', { updatedReplicas: 1 }, 'InProgress: Updated: 1/3'],
    [
      'in progress when the old pods suffice and a new one crashes',
      { replicas: 4, updatedReplicas: 1, availableReplicas: 3 },
      'InProgress: Updated: 1/3',
    ],
    ['in progress while old pods end', { replicas: 5 }, 'InProgress: Pending termination: 2'],
    ['in progress while pods are not available', { availableReplicas: 2 }, 'InProgress: Available: 2/3'],
    ['in progress while pods are not ready', { readyReplicas: 2 }, 'InProgress: Ready: 2/3'],
    [
      'in progress until the controller says that the new replica set is available',
      { conditions: [condition('Available', 'True'), condition('Progressing', 'True', 'ReplicaSetUpdated')] },
      'InProgress: ReplicaSet not Available',
    ],
    [
      'in progress until the controller says that it is available',
      { conditions: [condition('Progressing', 'True', 'NewReplicaSetAvailable')] },
      'InProgress: Deployment not Available',
    ],
    [
      'failed when its deadline has passed',
      { updatedReplicas: 1, conditions: [condition('Progressing', 'False', 'ProgressDeadlineExceeded')] },
      'Failed: Progress deadline exceeded',
    ],
  ])('is %s', (_, status, expected) => {
    expect(of(status)).toBe(expected);
  });

  it.each([undefined, 2 ** 31 - 1])(
    'needs no condition Progressing with a deadline of %s, which is none',
    (seconds) => {
      const conditions = [condition('Available', 'True')];
      expect(of({ conditions }, { progressDeadlineSeconds: seconds })).toBe(
        'Current: Deployment is available. Replicas: 3',
      );
    },
  );

  it('without replicas is current when its controller has seen it', () => {
    const none = { ...counts, replicas: 0, updatedReplicas: 0, availableReplicas: 0, readyReplicas: 0 };
    expect(of(none, { replicas: 0 })).toBe('Current: Deployment is available. Replicas: 0');
  });
});

describe('a StatefulSet', () => {
  const of = (status: Parts, spec: Parts = {}) =>
    statusOf('apps/v1', 'StatefulSet', {
      spec: { replicas: 3, ...spec },
      status: { ...counts, currentRevision: 'b', updateRevision: 'b', ...status },
    });
  const partition = (value: number) => ({ updateStrategy: { rollingUpdate: { partition: value } } });

  it.each<[string, Parts, Parts, string]>([
    ['current when all pods have its revision', {}, {}, 'Current: All replicas scheduled as expected. Replicas: 3'],
    ['in progress while it has too few pods', { replicas: 1 }, {}, 'InProgress: Replicas: 1/3'],
    ['in progress while pods are not ready', { readyReplicas: 1 }, {}, 'InProgress: Ready: 1/3'],
    ['in progress while pods end', { replicas: 4 }, {}, 'InProgress: Pending termination: 1'],
    ['in progress while pods are replaced', { currentReplicas: 2 }, {}, 'InProgress: Current: 2/3'],
    [
      'in progress while its revisions differ',
      { currentRevision: 'a' },
      {},
      'InProgress: Waiting for updated revision to match current',
    ],
    ['in progress below its partition', { updatedReplicas: 1 }, partition(1), 'InProgress: Updated: 1/2'],
    [
      'current at its partition',
      { updatedReplicas: 2, currentRevision: 'a' },
      partition(1),
      'Current: Partition rollout complete. Updated: 2',
    ],
    [
      'in progress below a partition of 0, the default',
      { updatedReplicas: 2 },
      partition(0),
      'InProgress: Updated: 2/3',
    ],
    [
      'current when users replace its pods',
      { updatedReplicas: 0 },
      { updateStrategy: { type: 'OnDelete' } },
      'Current: StatefulSet is using the OnDelete update strategy',
    ],
    [
      'in progress before its controller has written a generation',
      { observedGeneration: undefined },
      {},
      'InProgress: StatefulSet status.observedGeneration not found',
    ],
  ])('is %s', (_, status, spec, expected) => {
    expect(of(status, spec)).toBe(expected);
  });
});

describe('a DaemonSet', () => {
  const all = {
    observedGeneration: 2,
    desiredNumberScheduled: 3,
    currentNumberScheduled: 3,
    updatedNumberScheduled: 3,
    numberAvailable: 3,
    numberReady: 3,
  };

  it.each<[string, Parts, string]>([
    ['current on all nodes', {}, 'Current: All replicas scheduled as expected. Replicas: 3'],
    [
      'in progress until it is scheduled',
      { desiredNumberScheduled: undefined },
      'InProgress: Missing .status.desiredNumberScheduled',
    ],
    ['in progress while pods are missing', { currentNumberScheduled: 1 }, 'InProgress: Current: 1/3'],
    ['in progress while pods are outdated', { updatedNumberScheduled: 1 }, 'InProgress: Updated: 1/3'],
    ['in progress while pods are not available', { numberAvailable: 1 }, 'InProgress: Available: 1/3'],
    ['in progress while pods are not ready', { numberReady: 1 }, 'InProgress: Ready: 1/3'],
  ])('is %s', (_, status, expected) => {
    expect(statusOf('apps/v1', 'DaemonSet', { status: { ...all, ...status } })).toBe(expected);
  });
});

describe('a ReplicaSet', () => {
  it.each<[string, Parts, string]>([
    ['current with all replicas', {}, 'Current: ReplicaSet is available. Replicas: 3'],
    ['in progress while pods lack labels', { fullyLabeledReplicas: 1 }, 'InProgress: Labelled: 1/3'],
    ['in progress while pods are not available', { availableReplicas: 1 }, 'InProgress: Available: 1/3'],
    ['in progress while pods are not ready', { readyReplicas: 1 }, 'InProgress: Ready: 1/3'],
    ['in progress while pods end', { replicas: 4 }, 'InProgress: Pending termination: 1'],
    [
      'in progress when pods cannot be created',
      { conditions: [condition('ReplicaFailure', 'True')] },
      'InProgress: Replica Failure condition. Check Pods',
    ],
  ])('is %s', (_, status, expected) => {
    const parts = { spec: { replicas: 3 }, status: { ...counts, ...status } };
    expect(statusOf('apps/v1', 'ReplicaSet', parts)).toBe(expected);
  });
});

describe('a Job', () => {
  it.each<[string, Parts, string]>([
    ['in progress before it starts', {}, 'InProgress: Job not started'],
    [
      'in progress while it runs',
      { startTime: 'now', active: 1 },
      'InProgress: Job in progress. success: 0, active: 1, failed: 0',
    ],
    [
      'current when it is complete',
      { succeeded: 2, conditions: [condition('Complete', 'True')] },
      'Current: Job Completed. succeeded: 2/2',
    ],
    [
      'failed when it failed',
      { failed: 1, conditions: [condition('Failed', 'True')] },
      'Failed: Job Failed. failed: 1/2',
    ],
    ['current when it is suspended', { conditions: [condition('Suspended', 'True')] }, 'Current: Job is suspended'],
  ])('is %s', (_, status, expected) => {
    expect(statusOf('batch/v1', 'Job', { spec: { completions: 2 }, status })).toBe(expected);
  });
});

describe('a Pod', () => {
  const crashing = [
    { name: 'main', state: { waiting: { reason: 'CrashLoopBackOff' } } },
    { name: 'other', state: {} },
  ];

  it.each<[string, Parts, string]>([
    ['in progress without a phase', {}, 'InProgress: Pod phase not available'],
    ['in progress while it is pending', { phase: 'Pending' }, 'InProgress: Pod is in the Pending phase'],
    [
      'in progress when it cannot be scheduled: nodes may be added',
      { phase: 'Pending', conditions: [condition('PodScheduled', 'False', 'Unschedulable')] },
      'InProgress: Pod could not be scheduled',
    ],
    ['in progress until it is ready', { phase: 'Running' }, 'InProgress: Pod is running but is not Ready'],
    [
      'current when it is ready',
      { phase: 'Running', conditions: [condition('Ready', 'True')] },
      'Current: Pod is Ready',
    ],
    [
      'failed when a container crashes again and again',
      { phase: 'Running', containerStatuses: crashing },
      'Failed: Containers in CrashLoop state: main',
    ],
    ['current when it succeeded', { phase: 'Succeeded' }, 'Current: Pod has completed successfully'],
    ['failed when it failed', { phase: 'Failed' }, 'Failed: Pod has completed, but not successfully'],
    ['in progress in a phase that is not known', { phase: 'Unknown' }, 'InProgress: Pod is in the Unknown phase'],
  ])('is %s', (_, status, expected) => {
    expect(statusOf('v1', 'Pod', { status })).toBe(expected);
  });
});

describe('other built-in kinds', () => {
  const crd = (...conditions: Parts[]): [string, string, Parts] => [
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    { status: { conditions } },
  ];
  const apiService = (...conditions: Parts[]): [string, string, Parts] => [
    'apiregistration.k8s.io/v1',
    'APIService',
    { status: { conditions } },
  ];

  it.each<[string, [string, string, Parts], string]>([
    ['a bound claim', ['v1', 'PersistentVolumeClaim', { status: { phase: 'Bound' } }], 'Current: PVC is Bound'],
    ['a new claim', ['v1', 'PersistentVolumeClaim', {}], 'InProgress: PVC is not Bound. phase: unknown'],
    ['a Service', ['v1', 'Service', { spec: { type: 'ClusterIP' } }], 'Current: Service is ready'],
    [
      'a load balancer without an address',
      ['v1', 'Service', { spec: { type: 'LoadBalancer' } }],
      'InProgress: ClusterIP not set. Service type: LoadBalancer',
    ],
    ['an established definition', crd(condition('Established', 'True')), 'Current: CRD is established'],
    ['a new definition', crd(), 'InProgress: Install in progress'],
    [
      'a definition that is being installed',
      crd(condition('Established', 'False', 'Installing')),
      'InProgress: Install in progress',
    ],
    [
      'a definition whose names are taken',
      crd(condition('NamesAccepted', 'False', 'KindConflict', 'taken')),
      'Failed: taken',
    ],
    [
      'a definition that is not established',
      crd(condition('Established', 'False', 'NotAccepted', 'not all names are accepted')),
      'Failed: not all names are accepted',
    ],
    ['an available APIService', apiService(condition('Available', 'True')), 'Current: APIService is available'],
    [
      'an APIService whose server is away',
      apiService(condition('Available', 'False', 'MissingEndpoints', 'no endpoints')),
      'InProgress: no endpoints',
    ],
    ['a new APIService', apiService(), 'InProgress: APIService not Available'],
    [
      'a PodDisruptionBudget that its controller has seen',
      ['policy/v1', 'PodDisruptionBudget', { status: { observedGeneration: 2 } }],
      'Current: AllowedDisruptions has been computed.',
    ],
    [
      'a new PodDisruptionBudget',
      ['policy/v1', 'PodDisruptionBudget', {}],
      'InProgress: PodDisruptionBudget status.observedGeneration not found',
    ],
    ['a ConfigMap', ['v1', 'ConfigMap', {}], 'Current: Resource is current'],
  ])('%s', (_, [apiVersion, kind, parts], expected) => {
    expect(statusOf(apiVersion, kind, parts)).toBe(expected);
  });
});

describe('a custom resource', () => {
  const of = (status: unknown, metadata: Parts = {}) => statusOf('example.com/v1', 'Gadget', { metadata, status });

  it.each<[string, unknown, string]>([
    ['current without a status', undefined, 'Current: Resource is current'],
    ['current when Ready is True', { conditions: [condition('Ready', 'True')] }, 'Current: Resource is current'],
    [
      'in progress when Ready is False',
      { conditions: [condition('Ready', 'False', 'X', 'no disk')] },
      'InProgress: no disk',
    ],
    [
      'in progress when Ready is Unknown',
      { conditions: [condition('Ready', 'Unknown')] },
      'InProgress: Ready is Unknown',
    ],
    [
      'in progress when Ready is of an earlier generation',
      { conditions: [{ ...condition('Ready', 'True'), observedGeneration: 1 }] },
      'InProgress: Gadget generation is 2, but Ready is of generation 1',
    ],
    [
      'in progress when its status is of an earlier generation',
      { observedGeneration: 1, conditions: [condition('Ready', 'True')] },
      'InProgress: Gadget generation is 2, but latest observed generation is 1',
    ],
    [
      'in progress while it reconciles, though it is ready',
      { conditions: [condition('Ready', 'True'), condition('Reconciling', 'True', 'X', 'resizing')] },
      'InProgress: resizing',
    ],
    ['failed when it is stalled', { conditions: [condition('Stalled', 'True', 'X', 'no quota')] }, 'Failed: no quota'],
    [
      'current with a status of another shape',
      { conditions: 'none', observedGeneration: 'two' },
      'Current: Resource is current',
    ],
    ['current with conditions of another shape', { conditions: [null, 'Ready', 7] }, 'Current: Resource is current'],
    ['current with a text as status', 'fine', 'Current: Resource is current'],
  ])('is %s', (_, status, expected) => {
    expect(of(status)).toBe(expected);
  });

  it('is terminating once it is deleted, whatever its status is', () => {
    expect(of({ conditions: [condition('Ready', 'True')] }, { deletionTimestamp: '2026-01-01T00:00:00Z' })).toBe(
      'Terminating: Resource scheduled for deletion',
    );
  });
});
