import type { Pod } from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { agesAt } from '../ages.ts';
import { podConditions, podRow } from './pods.ts';

type Status = NonNullable<Pod['status']>;
type Spec = NonNullable<Pod['spec']>;
type ContainerStatus = NonNullable<Status['containerStatuses']>[number];
type State = NonNullable<ContainerStatus['state']>;

const ages = agesAt(Date.parse('2026-01-01T02:00:00Z'));

const running: State = { running: { startedAt: '2026-01-01T00:00:00Z' } };
const waiting = (reason: string): State => ({ waiting: { reason } });
const ended = (exitCode: number, reason?: string, signal?: number): State => ({
  terminated: {
    exitCode,
    finishedAt: '2026-01-01T01:00:00Z',
    ...(reason !== undefined && { reason }),
    ...(signal !== undefined && { signal }),
  },
});
const container = (name: string, state: State, more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name,
  state,
  image: '',
  imageID: '',
  ready: state === running,
  started: state === running,
  restartCount: 0,
  ...more,
});
const condition = (type: string, reason?: string) => ({
  type,
  status: 'True',
  ...(reason !== undefined && { reason }),
});

function pod(status: Status, spec: Partial<Spec> = {}, metadata: Pod['metadata'] = {}): Pod {
  return {
    metadata: { name: 'p', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
    spec: { containers: [{ name: 'a' }, { name: 'b' }], ...spec },
    status,
  };
}

/** One init container, a sidecar, and another init container. */
const initContainers = [{ name: 'x' }, { name: 'side', restartPolicy: 'Always' }, { name: 'z' }];

describe('a pod shows READY, STATUS and RESTARTS', () => {
  it.each<[why: string, pod: Pod, ready: string, status: string, restarts: string]>([
    ['when nothing is known of it', pod({}), '0/2', '', '0'],
    ['when it waits to be scheduled', pod({ phase: 'Pending' }), '0/2', 'Pending', '0'],
    [
      'when its scheduling is held back',
      pod({ phase: 'Pending', conditions: [condition('PodScheduled', 'SchedulingGated')] }),
      '0/2',
      'SchedulingGated',
      '0',
    ],
    [
      'when it runs, and when a container was last started again',
      pod({
        phase: 'Running',
        containerStatuses: [
          container('a', running, { restartCount: 2, lastState: ended(1, 'Error') }),
          container('b', running),
        ],
      }),
      '2/2',
      'Running',
      '2 (60m ago)',
    ],
    [
      'when a container crashes again and again',
      pod({
        phase: 'Running',
        containerStatuses: [container('a', waiting('CrashLoopBackOff')), container('b', running)],
      }),
      '1/2',
      'CrashLoopBackOff',
      '0',
    ],
    [
      'when it is done',
      pod({ phase: 'Succeeded', containerStatuses: [container('a', ended(0, 'Completed'))] }),
      '0/2',
      'Completed',
      '0',
    ],
    [
      'when it failed by an exit code without a reason',
      pod({
        phase: 'Failed',
        containerStatuses: [container('a', ended(0, 'Completed')), container('b', ended(2))],
      }),
      '0/2',
      'ExitCode:2',
      '0',
    ],
    [
      'when a signal ended it',
      pod({ phase: 'Failed', containerStatuses: [container('a', ended(0, undefined, 9))] }),
      '0/2',
      'Signal:9',
      '0',
    ],
    ['when it was evicted', pod({ phase: 'Failed', reason: 'Evicted' }), '0/2', 'Evicted', '0'],
    [
      'when one container is done and the pod still serves',
      pod({
        phase: 'Running',
        conditions: [condition('Ready')],
        containerStatuses: [container('a', ended(0, 'Completed')), container('b', running)],
      }),
      '1/2',
      'Running',
      '0',
    ],
    [
      'when one container is done and the other runs but is not ready',
      pod({
        phase: 'Running',
        containerStatuses: [container('a', ended(0, 'Completed')), container('b', running)],
      }),
      '1/2',
      'NotReady',
      '0',
    ],
    [
      'when it initialises',
      pod(
        {
          phase: 'Pending',
          initContainerStatuses: [
            container('x', ended(0, 'Completed')),
            container('side', running, { restartCount: 1 }),
            container('z', waiting('PodInitializing')),
          ],
        },
        { initContainers },
      ),
      '1/3',
      'Init:2/3',
      '1',
    ],
    [
      'when it fails to initialise',
      pod(
        {
          phase: 'Pending',
          initContainerStatuses: [container('x', ended(1), { restartCount: 3, lastState: ended(1, 'Error') })],
        },
        { initContainers },
      ),
      '0/3',
      'Init:ExitCode:1',
      '3 (60m ago)',
    ],
    [
      'when an init container cannot start',
      pod(
        { phase: 'Pending', initContainerStatuses: [container('x', waiting('ImagePullBackOff'))] },
        { initContainers },
      ),
      '0/3',
      'Init:ImagePullBackOff',
      '0',
    ],
    [
      'when it runs with a sidecar, whose restarts count while those of init containers do not',
      pod(
        {
          phase: 'Running',
          conditions: [condition('Initialized')],
          initContainerStatuses: [
            container('x', ended(0, 'Completed'), { restartCount: 4 }),
            container('side', running, { restartCount: 2, lastState: ended(1, 'Error') }),
            container('z', ended(0)),
          ],
          containerStatuses: [container('a', running, { restartCount: 1 }), container('b', running)],
        },
        { initContainers },
      ),
      '3/3',
      'Running',
      '3 (60m ago)',
    ],
    [
      'when it is being deleted',
      pod({ phase: 'Running' }, {}, { deletionTimestamp: '2026-01-01T01:00:00Z' }),
      '0/2',
      'Terminating',
      '0',
    ],
    [
      'when it is being deleted on a node that is lost',
      pod({ phase: 'Running', reason: 'NodeLost' }, {}, { deletionTimestamp: '2026-01-01T01:00:00Z' }),
      '0/2',
      'Unknown',
      '0',
    ],
    [
      'when it is being deleted after it was done',
      pod({ phase: 'Succeeded' }, {}, { deletionTimestamp: '2026-01-01T01:00:00Z' }),
      '0/2',
      'Succeeded',
      '0',
    ],
  ])('%s', (_, object, ready, status, restarts) => {
    expect(podRow(object, ages).slice(0, 5)).toEqual(['p', ready, status, restarts, '120m']);
  });
});

it('shows with -o wide where a pod runs and how many of its readiness gates are open', () => {
  const placed = pod(
    { podIPs: [{ ip: '10.0.0.1' }], conditions: [condition('g1')] },
    { nodeName: 'n1', readinessGates: [{ conditionType: 'g1' }, { conditionType: 'g2' }] },
  );
  expect(podRow(placed, ages).slice(5)).toEqual(['10.0.0.1', 'n1', '<none>', '1/2']);
  expect(podRow(pod({}), ages).slice(5)).toEqual(['<none>', '<none>', '<none>', '<none>']);
});

it('marks finished pods, so that clients can show them apart', () => {
  expect(podConditions(pod({ phase: 'Failed' }))).toMatchObject([{ type: 'Completed', reason: 'Failed' }]);
  expect(podConditions(pod({ phase: 'Running' }))).toBeUndefined();
});
