import {
  type Controller,
  defineController,
  done,
  on,
  type ReplicaSet,
  replicaSets,
  semanticEqual,
} from '@flotilla/kube';
import type { SimulatorContext } from '../context.ts';
import { isReady } from '../pods/pod.status.ts';
import { activePodsOf, nonZero, ownerKey, podFrom, removePod } from './owned-pods.ts';

/** Keeps as many pods as a replica set wants, and counts them. */
export function replicaSetController({ informers, pods }: SimulatorContext): Controller {
  const sets = informers.resource(replicaSets);
  return defineController({
    name: 'simulated-replica-sets',
    watches: [on(sets), on(pods, ownerKey('ReplicaSet'))],
    async reconcile(key) {
      const set = sets.get(key);
      if (!set) return done;
      const wanted = set.spec?.replicas ?? 1;
      const active = activePodsOf(pods, set);
      if (set.metadata?.deletionTimestamp === undefined) {
        for (let missing = wanted - active.length; missing > 0; missing--) {
          await pods.create(podFrom(replicaSets, set, set.spec?.template ?? {}));
        }
        // Those that are not ready go first, then the youngest.
        const surplus = [...active].sort((left, right) => Number(isReady(right)) - Number(isReady(left))).slice(wanted);
        for (const pod of surplus) await removePod(pods, pod);
      }
      const status = statusOf(set, pods);
      if (!semanticEqual(status, set.status)) await sets.status.replace({ ...set, status });
      return done;
    },
  });
}

function statusOf(set: ReplicaSet, pods: SimulatorContext['pods']): NonNullable<ReplicaSet['status']> {
  const active = activePodsOf(pods, set);
  const ready = active.filter(isReady).length;
  return {
    replicas: active.length,
    ...nonZero({ fullyLabeledReplicas: active.length, readyReplicas: ready, availableReplicas: ready }),
    ...(set.metadata?.generation !== undefined && { observedGeneration: set.metadata.generation }),
  };
}
