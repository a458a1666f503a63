import {
  type CachedResource,
  type Controller,
  defineController,
  done,
  type EventRecorder,
  KubeError,
  on,
  splitKey,
} from '@flotilla/kube';
import type { EpochMs } from '@flotilla/kube/clock';
import { type Node, type Pod, pods as podType } from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';
import type { NodeContext } from '../contracts/node-context.ts';
import { chooseNode } from './binding.policy.ts';

/**
 * Binds pods that have no node, where no scheduler does. Each node decides by the same rule and binds only what is its own, so several nodes
 * need no common scheduler.
 */
export function bindingController(
  { client, clock, name }: NodeContext,
  { unbound, nodes, events }: { unbound: CachedResource<Pod>; nodes: CachedResource<Node>; events: EventRecorder },
): Controller {
  return defineController({
    name: 'process-node-binding',
    watches: [on(unbound), on(nodes, () => [...unbound.keys()])],
    async reconcile(key) {
      const pod = unbound.get(key);
      const isForeign = (pod?.spec?.schedulerName ?? 'default-scheduler') !== 'default-scheduler';
      if (
        !pod ||
        isForeign ||
        pod.spec?.nodeName ||
        pod.metadata?.deletionTimestamp ||
        pod.spec?.schedulingGates?.length
      )
        return done;
      const all = nodes.list();
      const decision = chooseNode(pod, all);
      if (decision.kind === 'unschedulable') {
        const first = all.map(({ metadata }) => metadata?.name ?? '').sort()[0];
        if (first === name) await reportUnschedulable(unbound, pod, key, decision.message, clock.now());
        return done;
      }
      if (decision.node !== name) return done;
      const { namespace = '', name: podName } = splitKey(key);
      const binding = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { namespace, name: podName },
        target: { apiVersion: 'v1', kind: 'Node', name },
      };
      try {
        await client.resource(podType).createSubresource('binding', key, binding);
      } catch (error) {
        // It was bound or deleted meanwhile.
        if (KubeError.is(error, 'Conflict', 'NotFound')) return done;
        throw error;
      }
      const note = `Successfully assigned ${key} to ${name}`;
      events.record({ ...pod, apiVersion: 'v1', kind: 'Pod' }, { reason: 'Scheduled', action: 'Binding', note });
      return done;
    },
  });
}

async function reportUnschedulable(
  pods: CachedResource<Pod>,
  pod: Pod,
  key: string,
  message: string,
  now: EpochMs,
): Promise<void> {
  const conditions = pod.status?.conditions ?? [];
  const old = conditions.find(({ type }) => type === 'PodScheduled');
  if (old?.status === 'False' && old.message === message) return;
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message,
    lastTransitionTime: old?.status === 'False' ? old.lastTransitionTime : formatTime(now),
  };
  const others = conditions.filter(({ type }) => type !== 'PodScheduled');
  await pods.status.patch(key, { type: 'merge', body: { status: { conditions: [...others, condition] } } });
}
