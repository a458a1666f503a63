import type { EpochMs } from '@flotilla/kube/clock';
import type { ContainerStatus, Pod, PodCondition, PodStatus } from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';
import { type ContainerSnapshot, type ContainerState, isSidecar, type Terminated } from './container-state.ts';
import { initProgress, isRestarted, type RestartPolicy, restartPolicyOf } from './restart.policy.ts';

/** What a pod's status is made of. */
export interface PodSnapshot {
  readonly podIP: string;
  readonly hostIP: string;
  /** Volumes are there: containers can start. */
  readonly isSetUp: boolean;
  readonly init: readonly ContainerSnapshot[];
  readonly containers: readonly ContainerSnapshot[];
}

type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

/** The phase of a pod by what its containers do. */
export function phaseOf({ init, containers }: PodSnapshot, policy: RestartPolicy): Phase {
  const progress = initProgress(init, policy);
  if (progress.kind === 'failed') return 'Failed';
  if (progress.kind === 'at') return 'Pending';
  if (containers.some(({ state, last }) => state.kind === 'waiting' && !last)) return 'Pending';
  const isOver = (snapshot: ContainerSnapshot) =>
    snapshot.state.kind === 'terminated' && !isRestarted(snapshot, policy, false);
  if (!containers.every(isOver)) return 'Running';
  const failed = containers.some(({ state }) => state.kind === 'terminated' && state.exitCode !== 0);
  return failed ? 'Failed' : 'Succeeded';
}

/** The status that a kubelet would write; conditions and fields of others are kept. */
export function podStatus(pod: Pod, snapshot: PodSnapshot, now: EpochMs): PodStatus {
  const before = pod.status ?? {};
  const { podIP, hostIP, init, containers } = snapshot;
  const policy = restartPolicyOf(pod);
  const phase = isTerminal(before.phase) ? before.phase : phaseOf(snapshot, policy);
  const isDone = initProgress(init, policy).kind === 'done';
  return {
    ...before,
    phase,
    ...(pod.metadata?.generation !== undefined && { observedGeneration: pod.metadata.generation }),
    conditions: conditionsOf(pod, snapshot, { phase, isInitialized: isDone }, formatTime(now)),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: before.startTime ?? formatTime(now),
    ...(init.length > 0 && { initContainerStatuses: init.map((one) => containerStatus(one, initIsReady(one))) }),
    containerStatuses: containers.map((one) => containerStatus(one, one.isReady)),
  };
}

export const isTerminal = (phase: string | undefined): phase is 'Succeeded' | 'Failed' =>
  phase === 'Succeeded' || phase === 'Failed';

const initIsReady = ({ container, state, isReady }: ContainerSnapshot): boolean =>
  isSidecar(container) ? isReady : state.kind === 'terminated' && state.exitCode === 0;

function conditionsOf(
  pod: Pod,
  { isSetUp, init, containers }: PodSnapshot,
  { phase, isInitialized }: { phase: string; isInitialized: boolean },
  time: string,
): PodCondition[] {
  const before = pod.status?.conditions ?? [];
  const isOver = isTerminal(phase);
  const all = [...init.filter(({ container }) => isSidecar(container)), ...containers];
  const unready = all.filter(({ isReady }) => !isReady).map(({ container }) => container.name);
  const unset = init.filter((one) => !initIsReady(one)).map(({ container }) => container.name);
  const completed = { status: 'False', reason: 'PodCompleted' };
  const notReady = { status: 'False', reason: 'ContainersNotReady', message: listed('unready', unready) };
  const containersReady = isOver ? completed : unready.length === 0 ? { status: 'True' } : notReady;
  const gates = (pod.spec?.readinessGates ?? []).filter(
    ({ conditionType }) => before.find(({ type }) => type === conditionType)?.status !== 'True',
  );
  const gated = { status: 'False', reason: 'ReadinessGatesNotReady', message: gateMessage(gates) };
  const wanted: PodCondition[] = [
    { type: 'PodReadyToStartContainers', status: isSetUp && !isOver ? 'True' : 'False' },
    isInitialized || isOver
      ? { type: 'Initialized', status: 'True', ...(isOver && { reason: 'PodCompleted' }) }
      : {
          type: 'Initialized',
          status: 'False',
          reason: 'ContainersNotInitialized',
          message: listed('incomplete', unset),
        },
    { type: 'Ready', ...(containersReady.status === 'True' && gates.length > 0 ? gated : containersReady) },
    { type: 'ContainersReady', ...containersReady },
  ];
  const own = new Set(wanted.map(({ type }) => type));
  const others = before.filter(({ type }) => !own.has(type));
  const hasScheduled = others.some(({ type }) => type === 'PodScheduled');
  const scheduled: PodCondition[] = hasScheduled
    ? []
    : [{ type: 'PodScheduled', status: 'True', lastTransitionTime: time }];
  return [...wanted.map((condition) => stamped(condition, before, pod, time)), ...others, ...scheduled];
}

const listed = (what: string, names: readonly string[]): string =>
  `containers with ${what} status: [${names.join(' ')}]`;

const gateMessage = (gates: readonly { conditionType: string }[]): string =>
  `the status of pod readiness gate ${gates.map(({ conditionType }) => `"${conditionType}"`).join(', ')} is not "True"`;

function stamped(next: PodCondition, before: readonly PodCondition[], pod: Pod, time: string): PodCondition {
  const old = before.find(({ type }) => type === next.type);
  const { generation } = pod.metadata ?? {};
  return {
    ...(generation !== undefined && { observedGeneration: generation }),
    ...next,
    lastTransitionTime: old?.status === next.status ? (old.lastTransitionTime ?? time) : time,
  };
}

/** A container as `kubectl get pods` reads it. */
function containerStatus(snapshot: ContainerSnapshot, ready: boolean): ContainerStatus {
  const { container, restartCount, containerID, isStarted, pause } = snapshot;
  const isPaused = pause !== undefined && snapshot.state.kind === 'terminated';
  const state: ContainerState = isPaused
    ? { kind: 'waiting', reason: 'CrashLoopBackOff', message: pause }
    : snapshot.state;
  const last = isPaused && snapshot.state.kind === 'terminated' ? snapshot.state : snapshot.last;
  const image = container.image ?? '';
  return {
    name: container.name,
    image,
    imageID: state.kind === 'waiting' && !last ? '' : image,
    ...(containerID !== undefined && { containerID }),
    ready,
    started: isStarted,
    restartCount,
    state: stateOf(state),
    lastState: last ? { terminated: terminatedOf(last) } : {},
  };
}

function stateOf(state: ContainerState): NonNullable<ContainerStatus['state']> {
  if (state.kind === 'running') return { running: { startedAt: formatTime(state.startedAt) } };
  if (state.kind === 'terminated') return { terminated: terminatedOf(state) };
  return { waiting: { reason: state.reason, ...(state.message !== undefined && { message: state.message }) } };
}

const terminatedOf = ({ exitCode, signal, reason, message, startedAt, finishedAt, containerID }: Terminated) => ({
  exitCode,
  ...(signal !== undefined && { signal }),
  reason,
  ...(message !== undefined && { message }),
  ...(startedAt !== undefined && { startedAt: formatTime(startedAt) }),
  finishedAt: formatTime(finishedAt),
  ...(containerID !== undefined && { containerID }),
});
