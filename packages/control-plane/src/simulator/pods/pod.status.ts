import type { Pod } from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';

type PodStatus = NonNullable<Pod['status']>;
type PodCondition = NonNullable<PodStatus['conditions']>[number];
type ContainerStatus = NonNullable<PodStatus['containerStatuses']>[number];
type Container = NonNullable<Pod['spec']>['containers'][number];

/** Where a pod runs. */
export interface Placement {
  readonly hostIP: string;
  readonly podIP: string;
  readonly now: number;
}

const conditionsOf = (before: PodStatus, time: string, ready: { status: string; reason?: string }): PodCondition[] => {
  const wanted: { type: string; status: string; reason?: string }[] = [
    { type: 'PodReadyToStartContainers', status: ready.reason ? 'False' : 'True' },
    { type: 'Initialized', status: 'True', ...(ready.reason && { reason: ready.reason }) },
    { type: 'Ready', ...ready },
    { type: 'ContainersReady', ...ready },
    { type: 'PodScheduled', status: 'True' },
  ];
  return wanted.map((condition) => {
    const old = before.conditions?.find(({ type }) => type === condition.type);
    const same = old?.status === condition.status;
    return { ...condition, lastTransitionTime: same ? (old?.lastTransitionTime ?? time) : time };
  });
};

const containerStatus = (pod: Pod, { name, image = '' }: Container): ContainerStatus => ({
  name,
  image,
  imageID: `simulated://${image}`,
  containerID: `simulated://${pod.metadata?.uid}/${name}`,
  ready: true,
  started: true,
  restartCount: 0,
  state: {},
});

const terminated = (status: ContainerStatus, startedAt: string, finishedAt: string): ContainerStatus => ({
  ...status,
  ready: false,
  started: false,
  state: {
    terminated: { exitCode: 0, reason: 'Completed', startedAt, finishedAt, containerID: status.containerID ?? '' },
  },
});

/** All containers run and are ready. */
export function runningStatus(pod: Pod, { hostIP, podIP, now }: Placement): PodStatus {
  const time = formatTime(now);
  const before = pod.status ?? {};
  const init = pod.spec?.initContainers ?? [];
  return {
    ...before,
    phase: 'Running',
    conditions: conditionsOf(before, time, { status: 'True' }),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: before.startTime ?? time,
    ...(init.length > 0 && {
      initContainerStatuses: init.map((container) => ({
        ...terminated(containerStatus(pod, container), time, time),
        ready: true,
      })),
    }),
    containerStatuses: (pod.spec?.containers ?? []).map((container) => ({
      ...containerStatus(pod, container),
      state: { running: { startedAt: time } },
    })),
  };
}

/** All containers ended well. */
export function succeededStatus(pod: Pod, now: number): PodStatus {
  const time = formatTime(now);
  const before = pod.status ?? {};
  return {
    ...before,
    phase: 'Succeeded',
    conditions: conditionsOf(before, time, { status: 'False', reason: 'PodCompleted' }),
    containerStatuses: (before.containerStatuses ?? []).map((status) =>
      terminated(status, status.state?.running?.startedAt ?? time, time),
    ),
  };
}

/** The time of a condition's last change. */
export const conditionTime = (pod: Pod, type: string): string | undefined =>
  pod.status?.conditions?.find((condition) => condition.type === type)?.lastTransitionTime;
