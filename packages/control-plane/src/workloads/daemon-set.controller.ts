import { type Controller, defineController, done, on } from '@flotilla/kube';
import { type DaemonSet, daemonSets, type Node, type Pod } from '@flotilla/kube/kinds';
import { semanticEqual } from '@flotilla/kube/meta';
import type { WorkloadContext } from './context.ts';
import { activePodsOf, nonZero, ownerKey, type PodControl, podControl, podFrom } from './owned-pods.ts';
import { isReady } from './pod-state.ts';
import { templateHash } from './template-hash.ts';

const revisionLabel = 'controller-revision-hash';

/** Keeps one pod on each node that the set selects. */
export function daemonSetController({ informers, pods, nodes, events }: WorkloadContext): Controller {
  const report = events.from('daemonset-controller');
  const sets = informers.resource(daemonSets);
  const everySet = () => [...sets.keys()];
  return defineController({
    name: 'daemon-sets',
    watches: [on(sets), on(pods, ownerKey('DaemonSet')), on(nodes, everySet, isNews)],
    async reconcile(key) {
      const set = sets.get(key);
      if (!set) return done;
      const wanted = nodes
        .list()
        .filter((node) => selects(set, node))
        .map(({ metadata }) => metadata?.name ?? '')
        .sort();
      const control = podControl(pods, daemonSets, set, report);
      if (set.metadata?.deletionTimestamp === undefined) await place(set, wanted, activePodsOf(pods, set), control);
      const status = daemonSetStatus(set, wanted.length, activePodsOf(pods, set));
      if (!semanticEqual(status, set.status)) await sets.status.replace({ ...set, status });
      return done;
    },
  });
}

/** Heartbeats of nodes need no reconcile. */
const isNews = ({ type, object, previous }: { type: string; object: Node; previous?: Node | undefined }): boolean =>
  type !== 'updated' || !semanticEqual(object.metadata?.labels, previous?.metadata?.labels);

const selects = ({ spec }: DaemonSet, { metadata }: Node): boolean =>
  Object.entries(spec?.template.spec?.nodeSelector ?? {}).every(([key, value]) => metadata?.labels?.[key] === value);

async function place(
  set: DaemonSet,
  wanted: readonly string[],
  active: readonly Pod[],
  control: PodControl,
): Promise<void> {
  const template = set.spec?.template ?? {};
  const hash = templateHash(template);
  const outdated = active.filter(({ metadata }) => metadata?.labels?.[revisionLabel] !== hash);
  const replaceable = set.spec?.updateStrategy?.type === 'OnDelete' ? [] : outdated;
  for (const pod of active) {
    if (!wanted.includes(pod.spec?.nodeName ?? '') || replaceable.includes(pod)) await control.remove(pod);
  }
  for (const nodeName of wanted) {
    if (active.some(({ spec }) => spec?.nodeName === nodeName)) continue;
    await control.create(podFrom(daemonSets, set, template, { labels: { [revisionLabel]: hash }, spec: { nodeName } }));
  }
}

function daemonSetStatus(set: DaemonSet, wanted: number, active: readonly Pod[]): NonNullable<DaemonSet['status']> {
  const hash = templateHash(set.spec?.template ?? {});
  const ready = active.filter(isReady).length;
  return {
    currentNumberScheduled: active.length,
    desiredNumberScheduled: wanted,
    numberMisscheduled: 0,
    numberReady: ready,
    ...nonZero({
      updatedNumberScheduled: active.filter(({ metadata }) => metadata?.labels?.[revisionLabel] === hash).length,
      numberAvailable: ready,
      numberUnavailable: wanted - ready,
    }),
    ...(set.metadata?.generation !== undefined && { observedGeneration: set.metadata.generation }),
  };
}
