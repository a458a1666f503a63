import { type Controller, defineController, done, on, type Result } from '@flotilla/kube';
import { type Pod, type StatefulSet, statefulSets } from '@flotilla/kube/kinds';
import { semanticEqual } from '@flotilla/kube/meta';
import type { WorkloadContext } from './context.ts';
import { nonZero, ownerKey, type PodControl, type PodEventMessage, podControl, podFrom, podsOf } from './owned-pods.ts';
import { isActive, isReady } from './pod-state.ts';
import { templateHash } from './template-hash.ts';

const revisionLabel = 'controller-revision-hash';

const podEventMessage: PodEventMessage = (verb, pod, set) =>
  `${verb.toLowerCase()} Pod ${pod} in StatefulSet ${set} successful`;

/** Keeps numbered pods: each begins when the one before is ready, and the last goes first. */
export function statefulSetController({ informers, pods, events }: WorkloadContext): Controller {
  const report = events.from('statefulset-controller');
  const sets = informers.resource(statefulSets);
  return defineController({
    name: 'stateful-sets',
    watches: [on(sets), on(pods, ownerKey('StatefulSet'))],
    async reconcile(key): Promise<Result> {
      const set = sets.get(key);
      if (!set) return done;
      const control = podControl(pods, statefulSets, set, report, podEventMessage);
      if (set.metadata?.deletionTimestamp === undefined) await step(set, podsOf(pods, set), control);
      const status = statefulSetStatus(set, podsOf(pods, set));
      if (!semanticEqual(status, set.status)) await sets.status.replace({ ...set, status });
      return done;
    },
  });
}

const revisionOf = (set: StatefulSet): string => `${set.metadata?.name}-${templateHash(set.spec?.template ?? {})}`;

const ordinalOf = ({ metadata }: Pod): number =>
  Number(metadata?.name?.slice(metadata.name.lastIndexOf('-') + 1) ?? -1);

/** One change at a time, unless the set manages its pods in parallel. */
async function step(set: StatefulSet, present: readonly Pod[], control: PodControl): Promise<void> {
  const wanted = set.spec?.replicas ?? 1;
  const parallel = set.spec?.podManagementPolicy === 'Parallel';
  const owned = new Map(present.map((pod) => [ordinalOf(pod), pod]));
  for (let ordinal = 0; ordinal < wanted; ordinal++) {
    const pod = owned.get(ordinal);
    if (pod && isActive(pod) && isReady(pod)) continue;
    if (!pod) await control.create(numberedPod(set, ordinal));
    if (!parallel) return;
  }
  const surplus = [...owned.values()]
    .filter((pod) => ordinalOf(pod) >= wanted)
    .sort((a, b) => ordinalOf(b) - ordinalOf(a));
  for (const pod of surplus) {
    if (isActive(pod)) await control.remove(pod);
    if (!parallel) return;
  }
  if (set.spec?.updateStrategy?.type !== 'OnDelete') await replaceOutdated(set, control, owned);
}

/** The highest outdated pod goes; the next follows when its successor is ready. */
async function replaceOutdated(set: StatefulSet, control: PodControl, owned: Map<number, Pod>): Promise<void> {
  const from = set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
  const revision = revisionOf(set);
  for (let ordinal = (set.spec?.replicas ?? 1) - 1; ordinal >= from; ordinal--) {
    const pod = owned.get(ordinal);
    if (!pod || pod.metadata?.labels?.[revisionLabel] === revision) continue;
    await control.remove(pod);
    return;
  }
}

function numberedPod(set: StatefulSet, ordinal: number): Pod {
  const name = `${set.metadata?.name}-${ordinal}`;
  const labels = {
    'apps.kubernetes.io/pod-index': String(ordinal),
    [revisionLabel]: revisionOf(set),
    'statefulset.kubernetes.io/pod-name': name,
  };
  const { serviceName } = set.spec ?? {};
  return podFrom(statefulSets, set, set.spec?.template ?? {}, {
    name,
    labels,
    spec: { hostname: name, ...(serviceName && { subdomain: serviceName }) },
  });
}

function statefulSetStatus(set: StatefulSet, owned: readonly Pod[]): NonNullable<StatefulSet['status']> {
  const updateRevision = revisionOf(set);
  const active = owned.filter(isActive);
  const ready = active.filter(isReady).length;
  const updated = active.filter(({ metadata }) => metadata?.labels?.[revisionLabel] === updateRevision).length;
  const isDone = updated === (set.spec?.replicas ?? 1) && ready === updated && active.length === updated;
  const currentRevision = isDone ? updateRevision : (set.status?.currentRevision ?? updateRevision);
  const current = active.filter(({ metadata }) => metadata?.labels?.[revisionLabel] === currentRevision).length;
  return {
    ...(set.metadata?.generation !== undefined && { observedGeneration: set.metadata.generation }),
    replicas: active.length,
    ...nonZero({ readyReplicas: ready, currentReplicas: current, updatedReplicas: updated }),
    availableReplicas: ready,
    currentRevision,
    updateRevision,
    collisionCount: 0,
  };
}
