import type { Pod } from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import type { ContainerSnapshot, ContainerState } from './container-state.ts';
import { type PodSnapshot, phaseOf, podStatus } from './pod.status.ts';
import { containerStep, kubeletBackoff } from './restart.policy.ts';

const running: ContainerState = { kind: 'running', startedAt: 1000 };
const ended = (exitCode: number): ContainerState => ({
  kind: 'terminated',
  exitCode,
  reason: exitCode ? 'Error' : 'Completed',
  startedAt: 1000,
  finishedAt: 5000,
});
const waiting: ContainerState = { kind: 'waiting', reason: 'ContainerCreating' };
const container = (state: ContainerState, rest: Partial<ContainerSnapshot> = {}): ContainerSnapshot => ({
  container: { name: 'main', image: 'web' },
  state,
  restartCount: 0,
  crashes: 0,
  isStarted: state.kind === 'running',
  isReady: state.kind === 'running',
  ...rest,
});
const pod = (containers: ContainerSnapshot[], init: ContainerSnapshot[] = []): PodSnapshot => ({
  podIP: '127.9.9.2',
  hostIP: '127.9.9.1',
  isSetUp: true,
  init,
  containers,
});

describe('the phase of a pod', () => {
  it.each<[string, PodSnapshot, 'Always' | 'OnFailure' | 'Never', string]>([
    ['is Pending before its containers ran', pod([container(waiting)]), 'Always', 'Pending'],
    ['is Pending while it is initialized', pod([container(waiting)], [container(running)]), 'Always', 'Pending'],
    ['is Running when one runs and another ended', pod([container(running), container(ended(0))]), 'Never', 'Running'],
    ['is Running between restarts', pod([container(ended(1))]), 'Always', 'Running'],
    [
      'is Running while it waits to be configured again',
      pod([container(waiting, { last: ended(1) as never })]),
      'Always',
      'Running',
    ],
    ['is Succeeded when all ended well', pod([container(ended(0))]), 'OnFailure', 'Succeeded'],
    ['is Failed when one failed for good', pod([container(ended(0)), container(ended(2))]), 'Never', 'Failed'],
    [
      'is Failed when an init container failed for good',
      pod([container(waiting)], [container(ended(1))]),
      'Never',
      'Failed',
    ],
    [
      'is Pending while an init container is tried again',
      pod([container(waiting)], [container(ended(1))]),
      'OnFailure',
      'Pending',
    ],
  ])('%s', (_what, snapshot, policy, phase) => {
    expect(phaseOf(snapshot, policy)).toBe(phase);
  });
});

describe('a container', () => {
  const step = (snapshot: ContainerSnapshot, policy: 'Always' | 'OnFailure' | 'Never', now: number, isInit = false) =>
    containerStep(snapshot, { policy, isInit, backoff: kubeletBackoff, now });

  it.each<[string, ReturnType<typeof step>, object]>([
    ['that waits is started', step(container(waiting), 'Never', 0), { kind: 'start' }],
    ['that runs is left', step(container(running), 'Always', 0), { kind: 'leave' }],
    [
      'that ended is started again at once the first time',
      step(container(ended(1)), 'Always', 5000),
      { kind: 'start' },
    ],
    [
      'that ended again waits',
      step(container(ended(1), { crashes: 1 }), 'Always', 5000),
      { kind: 'back-off', at: 15_000, ms: 10_000 },
    ],
    [
      'waits twice as long each time, up to five minutes',
      step(container(ended(1), { crashes: 9 }), 'Always', 5000),
      { kind: 'back-off', at: 305_000, ms: 300_000 },
    ],
    [
      'is started when its time has come',
      step(container(ended(1), { crashes: 1 }), 'Always', 15_000),
      { kind: 'start' },
    ],
    [
      'that ended well stays so unless it shall run always',
      step(container(ended(0)), 'OnFailure', 9000),
      { kind: 'leave' },
    ],
    [
      'of the initialization is done when it ended well',
      step(container(ended(0)), 'Always', 9000, true),
      { kind: 'leave' },
    ],
    [
      'that is a sidecar always runs',
      step(container(ended(0), { container: { name: 's', restartPolicy: 'Always' } }), 'Never', 9000, true),
      { kind: 'start' },
    ],
  ])('%s', (_what, actual, expected) => {
    expect(actual).toEqual(expected);
  });
});

describe('the status of a pod', () => {
  const object: Pod = { metadata: { name: 'web', generation: 2 }, spec: { containers: [{ name: 'main' }] } };

  it('is ready when all containers are', () => {
    const { conditions, containerStatuses } = podStatus(object, pod([container(running)]), 2000);
    expect(conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'PodReadyToStartContainers=True',
      'Initialized=True',
      'Ready=True',
      'ContainersReady=True',
      'PodScheduled=True',
    ]);
    expect(containerStatuses?.[0]).toMatchObject({
      ready: true,
      started: true,
      state: { running: { startedAt: '1970-01-01T00:00:01Z' } },
    });
  });

  it('names the containers that are not ready', () => {
    const { conditions } = podStatus(object, pod([container(running, { isReady: false })]), 2000);
    expect(conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [main]',
    });
  });

  it('shows a container that waits for its restart as CrashLoopBackOff, with how it ended', () => {
    const { containerStatuses, phase } = podStatus(object, pod([container(ended(3), { pause: 'back-off 10s' })]), 6000);
    expect(phase).toBe('Running');
    expect(containerStatuses?.[0]).toMatchObject({
      state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } },
      lastState: { terminated: { exitCode: 3, reason: 'Error' } },
    });
  });

  it('keeps conditions of others, and times of what did not change', () => {
    const first = podStatus(
      { ...object, status: { conditions: [{ type: 'DisruptionTarget', status: 'True' }] } },
      pod([container(running)]),
      2000,
    );
    const second = podStatus({ ...object, status: first }, pod([container(running)]), 9000);
    expect(second).toEqual(first);
    expect(first.conditions?.some(({ type }) => type === 'DisruptionTarget')).toBe(true);
  });

  it('is not ready before its readiness gates are', () => {
    const gated: Pod = {
      ...object,
      spec: { containers: [{ name: 'main' }], readinessGates: [{ conditionType: 'example.com/lb' }] },
    };
    expect(
      podStatus(gated, pod([container(running)]), 2000).conditions?.find(({ type }) => type === 'Ready'),
    ).toMatchObject({ status: 'False', reason: 'ReadinessGatesNotReady' });
  });
});
