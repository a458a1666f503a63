import { after, type Controller, defineController, done, on, type Result } from '@flotilla/kube';
import { type Pod, pods as podType } from '@flotilla/kube/kinds';
import { controllerOf, parseTime } from '@flotilla/kube/meta';
import type { SimulatorContext } from '../context.ts';
import { nodeAddress } from '../nodes/node.status.ts';
import { conditionTime, runningStatus, succeededStatus } from './pod.status.ts';
import { startEvents, stopEvents } from './pod-events.ts';

/** Starts pods, ends those of jobs, and finishes deletions: what the kubelets of the simulated nodes would do. */
export function kubeletController(context: SimulatorContext, nodeNames: readonly string[]): Controller {
  const { pods, clock, latency, events } = context;
  const addresses = podAddresses();
  return defineController({
    name: 'simulated-kubelet',
    watches: [on(pods)],
    async reconcile(key): Promise<Result> {
      const pod = pods.get(key);
      const { uid = '' } = pod?.metadata ?? {};
      const node = nodeNames.indexOf(pod?.spec?.nodeName ?? '');
      if (!pod || node < 0) return done;
      const now = clock.now();
      const step = nextStep(pod, latency);
      if (!step) return done;
      if (step.dueAt > now) return after(step.dueAt - now, `the pod ${step.kind}s then`);
      const report = events.from('kubelet', pod.spec?.nodeName);
      if (step.kind === 'stop') {
        for (const event of stopEvents(pod)) report(podType, pod, event);
        await pods.delete(key, { gracePeriodSeconds: 0, preconditions: { uid } });
        addresses.release(uid);
        return done;
      }
      const placement = { hostIP: nodeAddress(node), podIP: addresses.of(uid), now };
      const status = step.kind === 'start' ? runningStatus(pod, placement) : succeededStatus(pod, now);
      await pods.status.replace({ ...pod, status });
      if (step.kind === 'start') for (const event of startEvents(pod)) report(podType, pod, event);
      return done;
    },
  });
}

interface Step {
  readonly kind: 'start' | 'complete' | 'stop';
  readonly dueAt: number;
}

/** What happens to a pod next, and when. */
function nextStep(pod: Pod, { startMs, stopMs, jobMs }: SimulatorContext['latency']): Step | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata ?? {};
  const deadline = parseTime(deletionTimestamp);
  if (deadline !== undefined) {
    const graceMs = deletionGracePeriodSeconds * 1000;
    return { kind: 'stop', dueAt: deadline - graceMs + Math.min(stopMs, graceMs) };
  }
  const phase = pod.status?.phase ?? 'Pending';
  if (phase === 'Pending')
    return { kind: 'start', dueAt: (parseTime(conditionTime(pod, 'PodScheduled')) ?? 0) + startMs };
  const ends = phase === 'Running' && controllerOf(pod)?.kind === 'Job';
  return ends ? { kind: 'complete', dueAt: (parseTime(pod.status?.startTime) ?? 0) + jobMs } : undefined;
}

/** Addresses of pods in 10.128.0.0/9, the lowest free one first. */
function podAddresses() {
  const taken = new Map<string, number>();
  const free: number[] = [];
  return {
    of(uid: string): string {
      let number = taken.get(uid);
      if (number === undefined) {
        number = free.shift() ?? taken.size + free.length + 1;
        taken.set(uid, number);
      }
      return `10.${128 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
    },
    release(uid: string): void {
      const number = taken.get(uid);
      if (number !== undefined && taken.delete(uid)) free.push(number);
    },
  };
}
