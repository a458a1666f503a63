import type { Pod } from '@flotilla/kube/kinds';

/** A pod in one line. */
export interface PodSummary {
  readonly ready: number;
  readonly total: number;
  readonly reason: string;
  readonly restarts: number;
  readonly lastRestart?: string;
}

type ContainerStatus = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];

/** Restarts counted over containers, with the latest time one ended. */
class Restarts {
  count = 0;
  last: string | undefined;

  add({ restartCount, lastState }: ContainerStatus): void {
    this.count += restartCount;
    const ended = lastState?.terminated?.finishedAt;
    if (ended !== undefined && (this.last === undefined || this.last < ended)) this.last = ended;
  }
}

/** The status in `kubectl get pods`: initialisation while it lasts, then the containers, and deletion above all. */
export function podSummary(pod: Pod): PodSummary {
  const sidecars = new Set(
    (pod.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  );
  const total = (pod.spec?.containers?.length ?? 0) + sidecars.size;
  const start = initialisation(pod, sidecars);
  const initialised = conditionIsTrue(pod, 'Initialized');
  const summary =
    start.reason !== undefined && !initialised
      ? { ready: start.ready, reason: start.reason, restarts: start.all }
      : running(pod, start.ready, start.sidecars, start.reason ?? phaseReason(pod));
  const { count, last } = summary.restarts;
  return {
    ready: summary.ready,
    total,
    reason: deletionReason(pod) ?? summary.reason,
    restarts: count,
    ...(last !== undefined && { lastRestart: last }),
  };
}

function phaseReason({ status }: Pod): string {
  const gated = status?.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated');
  return gated ? 'SchedulingGated' : status?.reason || (status?.phase ?? '');
}

const conditionIsTrue = ({ status }: Pod, wanted: string): boolean =>
  status?.conditions?.find(({ type }) => type === wanted)?.status === 'True';

interface Initialisation {
  /** The first init container that is not done; unset when all are. */
  readonly reason?: string;
  readonly ready: number;
  readonly all: Restarts;
  readonly sidecars: Restarts;
}

function initialisation({ spec, status }: Pod, sidecars: ReadonlySet<string>): Initialisation {
  const all = new Restarts();
  const ofSidecars = new Restarts();
  let ready = 0;
  for (const [at, container] of (status?.initContainerStatuses ?? []).entries()) {
    const isSidecar = sidecars.has(container.name);
    all.add(container);
    if (isSidecar) ofSidecars.add(container);
    if (container.state?.terminated?.exitCode === 0) continue;
    if (isSidecar && container.started) {
      if (container.ready) ready++;
      continue;
    }
    const reason = initReason(container) ?? `${at}/${spec?.initContainers?.length ?? 0}`;
    return { reason: `Init:${reason}`, ready, all, sidecars: ofSidecars };
  }
  return { ready, all, sidecars: ofSidecars };
}

function initReason({ state }: ContainerStatus): string | undefined {
  if (state?.terminated) return endReason(state.terminated);
  const waiting = state?.waiting?.reason;
  return waiting && waiting !== 'PodInitializing' ? waiting : undefined;
}

const endReason = ({ reason, signal, exitCode }: { reason?: string; signal?: number; exitCode: number }): string =>
  reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);

/** The reason of the first container that has one; a pod with both finished and running ones runs. */
function running(
  pod: Pod,
  readySidecars: number,
  restarts: Restarts,
  before: string,
): { ready: number; reason: string; restarts: Restarts } {
  let ready = readySidecars;
  let reason = before;
  let failure: string | undefined;
  let anyRunning = false;
  for (const container of (pod.status?.containerStatuses ?? []).toReversed()) {
    const { state } = container;
    restarts.add(container);
    if (state?.waiting?.reason) reason = state.waiting.reason;
    else if (state?.terminated) {
      reason = endReason(state.terminated);
      if (state.terminated.exitCode !== 0) failure = reason;
    } else if (container.ready && state?.running) {
      anyRunning = true;
      ready++;
    }
  }
  if (reason === 'Completed') {
    if (anyRunning && conditionIsTrue(pod, 'Ready')) reason = 'Running';
    else reason = failure ?? (anyRunning ? 'NotReady' : reason);
  }
  return { ready, reason, restarts };
}

function deletionReason({ metadata, status }: Pod): string | undefined {
  if (!metadata?.deletionTimestamp) return undefined;
  if (status?.reason === 'NodeLost') return 'Unknown';
  return status?.phase === 'Succeeded' || status?.phase === 'Failed' ? undefined : 'Terminating';
}
