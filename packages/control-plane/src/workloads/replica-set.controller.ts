import { type Controller, defineController, done, on } from '@flotilla/kube';
import { type ReplicaSet, type ReplicationController, replicaSets, replicationControllers } from '@flotilla/kube/kinds';
import { semanticEqual } from '@flotilla/kube/meta';
import type { ResourceType } from '@flotilla/schema';
import type { WorkloadContext } from './context.ts';
import { activePodsOf, nonZero, ownerKey, podControl, podFrom } from './owned-pods.ts';
import { isReady } from './pod-state.ts';

/** Replica sets, and what they were called before there were selectors with expressions. */
type Replicas = ReplicaSet | ReplicationController;

export const replicaSetController = (context: WorkloadContext): Controller =>
  replicasController(context, replicaSets, 'replicaset-controller');

export const replicationControllerController = (context: WorkloadContext): Controller =>
  replicasController(context, replicationControllers, 'replication-controller');

/** Keeps as many pods as a replica set wants, and counts them. */
function replicasController(
  { informers, pods, events }: WorkloadContext,
  type: ResourceType<Replicas>,
  component: string,
): Controller {
  const report = events.from(component);
  const sets = informers.resource(type);
  return defineController({
    name: component,
    watches: [on(sets), on(pods, ownerKey(type.kind))],
    async reconcile(key) {
      const set = sets.get(key);
      if (!set) return done;
      const control = podControl(pods, type, set, report);
      const wanted = set.spec?.replicas ?? 1;
      const active = activePodsOf(pods, set);
      if (set.metadata?.deletionTimestamp === undefined) {
        for (let missing = wanted - active.length; missing > 0; missing--) {
          await control.create(podFrom(type, set, set.spec?.template ?? {}));
        }
        // Those that are not ready go first, then the youngest.
        const surplus = [...active].sort((left, right) => Number(isReady(right)) - Number(isReady(left))).slice(wanted);
        for (const pod of surplus) await control.remove(pod);
      }
      const status = statusOf(set, pods);
      if (!semanticEqual(status, set.status)) await sets.status.replace({ ...set, status });
      return done;
    },
  });
}

function statusOf(set: Replicas, pods: WorkloadContext['pods']): NonNullable<Replicas['status']> {
  const active = activePodsOf(pods, set);
  const ready = active.filter(isReady).length;
  return {
    replicas: active.length,
    ...nonZero({ fullyLabeledReplicas: active.length, readyReplicas: ready, availableReplicas: ready }),
    ...(set.metadata?.generation !== undefined && { observedGeneration: set.metadata.generation }),
  };
}
