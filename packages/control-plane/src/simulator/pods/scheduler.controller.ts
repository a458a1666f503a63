import { type Controller, defineController, done, type EventRecorder, KubeError, on, splitKey } from '@flotilla/kube';
import { type Node, type Pod, pods as podType } from '@flotilla/kube/kinds';
import { isActive } from '../../workloads/pod-state.ts';
import type { SimulatorContext } from '../context.ts';

const nodeIndex = 'node';
/** All pods wait for the same thing: a node that takes them. */
const waiting = (pods: SimulatorContext['pods']) => () =>
  pods.byIndex(nodeIndex, '').map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`);

/** Gives each pod to the node that fits its selector and has the fewest pods; equal ones by name. */
export function schedulerController({ pods, nodes, client }: SimulatorContext, recorder: EventRecorder): Controller {
  pods.addIndex(nodeIndex, ({ spec }) => [spec?.nodeName ?? '']);
  return defineController({
    name: 'simulated-scheduler',
    watches: [on(pods), on(nodes, waiting(pods))],
    // One after the other, so that each sees where the one before went.
    concurrency: 1,
    async reconcile(key) {
      const pod = pods.get(key);
      if (!pod || pod.spec?.nodeName || !isActive(pod)) return done;
      const node = choose(nodes.list(), pod, (name) => pods.byIndex(nodeIndex, name).length);
      if (node === undefined) return done;
      const { namespace = '', name } = splitKey(key);
      const binding = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { namespace, name },
        target: { apiVersion: 'v1', kind: 'Node', name: node },
      };
      try {
        await client.resource(podType).createSubresource('binding', key, binding);
        recorder.record(
          { ...pod, apiVersion: 'v1', kind: 'Pod' },
          { reason: 'Scheduled', action: 'Binding', note: `Successfully assigned ${key} to ${node}` },
        );
      } catch (error) {
        if (!KubeError.is(error, 'Conflict', 'NotFound')) throw error;
      }
      return done;
    },
  });
}

/** The name of the node that a pod goes to; undefined if none fits. */
function choose(nodes: readonly Node[], pod: Pod, load: (node: string) => number): string | undefined {
  const wanted = Object.entries(pod.spec?.nodeSelector ?? {});
  const fitting = nodes
    .filter(
      ({ spec, metadata }) => !spec?.unschedulable && wanted.every(([key, value]) => metadata?.labels?.[key] === value),
    )
    .filter(({ status }) =>
      status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True'),
    )
    .flatMap(({ metadata }) => metadata?.name ?? []);
  const [first] = fitting.sort((left, right) => load(left) - load(right) || (left < right ? -1 : 1));
  return first;
}
