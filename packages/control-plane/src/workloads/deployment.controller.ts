import { type CachedResource, type Controller, defineController, done, on, ownerReferenceTo } from '@flotilla/kube';
import { type Deployment, deployments, type ReplicaSet, replicaSets } from '@flotilla/kube/kinds';
import { controllerOf, semanticEqual } from '@flotilla/kube/meta';
import type { WorkloadContext } from './context.ts';
import { deploymentStatus, mayBeMissing, shareOf } from './deployment.status.ts';
import { ownerKey } from './owned-pods.ts';
import { templateHash } from './template-hash.ts';

const hashLabel = 'pod-template-hash';
const revisionAnnotation = 'deployment.kubernetes.io/revision';
const deploymentIndex = 'deployment';

type ReportScaling = (set: ReplicaSet, from: number, to: number) => void;
type Resize = (set: ReplicaSet, replicas: number) => Promise<void>;

/** Keeps one replica set for each template, moves the pods to the newest, and reports the progress. */
export function deploymentController({ informers, clock, events }: WorkloadContext): Controller {
  const report = events.from('deployment-controller');
  const all = informers.resource(deployments);
  const sets = informers.resource(replicaSets, {
    indexes: { [deploymentIndex]: (set) => [controllerOf(set)?.uid ?? ''] },
  });
  return defineController({
    name: 'deployments',
    watches: [on(all), on(sets, ownerKey('Deployment'))],
    async reconcile(key) {
      const deployment = all.get(key);
      if (!deployment || deployment.metadata?.deletionTimestamp) return done;
      const owned = () => sets.byIndex(deploymentIndex, deployment.metadata?.uid ?? '');
      const reportScaling: ReportScaling = (set, from, to) => {
        if (from === to) return;
        const message = `Scaled ${to > from ? 'up' : 'down'} replica set ${set.metadata?.name} from ${from} to ${to}`;
        report(deployments, deployment, { reason: 'ScalingReplicaSet', message });
      };
      const current = await currentSet(deployment, sets, owned(), reportScaling);
      const resize: Resize = async (set, replicas) => {
        const key = `${set.metadata?.namespace}/${set.metadata?.name}`;
        await sets.patch(key, { type: 'merge', body: { spec: { replicas } } });
        reportScaling(set, set.spec?.replicas ?? 0, replicas);
      };
      if (!deployment.spec?.paused || owned().length === 1) await roll(deployment, current, owned(), resize);
      await pruneHistory(deployment, current, owned(), sets);
      const revision = current.metadata?.annotations?.[revisionAnnotation] ?? '1';
      let latest = deployment;
      if (deployment.metadata?.annotations?.[revisionAnnotation] !== revision) {
        const body = { metadata: { annotations: { [revisionAnnotation]: revision } } };
        // By the status subresource: this annotation must not raise the generation.
        latest = await all.status.patch(key, { type: 'merge', body });
      }
      const newest = owned().find(({ metadata }) => metadata?.uid === current.metadata?.uid) ?? current;
      const status = deploymentStatus(latest, newest, owned(), clock.now());
      if (!semanticEqual(status, latest.status)) await all.status.replace({ ...latest, status });
      return done;
    },
  });
}

const revisionOf = ({ metadata }: ReplicaSet): number => Number(metadata?.annotations?.[revisionAnnotation] ?? 0);

/** The replica set of the present template, made if it is not there; one that is used again becomes the newest. */
async function currentSet(
  deployment: Deployment,
  sets: CachedResource<ReplicaSet>,
  owned: readonly ReplicaSet[],
  reportScaling: ReportScaling,
): Promise<ReplicaSet> {
  const template = deployment.spec?.template ?? {};
  const hash = templateHash(template);
  const found = owned.find(({ metadata }) => metadata?.labels?.[hashLabel] === hash);
  const others = owned.filter((set) => set !== found);
  const newest = Math.max(0, ...others.map(revisionOf)) + 1;
  if (found) {
    if (revisionOf(found) >= newest) return found;
    const body = { metadata: { annotations: { [revisionAnnotation]: String(newest) } } };
    return sets.patch(`${found.metadata?.namespace}/${found.metadata?.name}`, { type: 'merge', body });
  }
  const { namespace, name } = deployment.metadata ?? {};
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const { selector, replicas = 1 } = deployment.spec ?? {};
  const created = await sets.create({
    metadata: {
      namespace,
      name: `${name}-${hash}`,
      labels,
      annotations: {
        'deployment.kubernetes.io/desired-replicas': String(replicas),
        [revisionAnnotation]: String(newest),
      },
      ownerReferences: [ownerReferenceTo(deployments, deployment, { controller: true, blockOwnerDeletion: true })],
    },
    spec: {
      // A first set begins whole; one that replaces another grows as the other shrinks.
      replicas: owned.length === 0 ? replicas : 0,
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  });
  reportScaling(created, 0, created.spec?.replicas ?? 0);
  return created;
}

/** One step of the roll-out: as many new pods as the surge allows, as few old ones as availability allows. */
async function roll(
  deployment: Deployment,
  current: ReplicaSet,
  owned: readonly ReplicaSet[],
  resize: Resize,
): Promise<void> {
  const wanted = deployment.spec?.replicas ?? 1;
  const old = owned.filter(({ metadata }) => metadata?.uid !== current.metadata?.uid);
  const recreate = deployment.spec?.strategy?.type === 'Recreate';
  const surge = recreate ? 0 : shareOf(deployment.spec?.strategy?.rollingUpdate?.maxSurge, wanted, Math.ceil);
  const replicasOf = (list: readonly ReplicaSet[]): number =>
    list.reduce((sum, { spec }) => sum + (spec?.replicas ?? 0), 0);
  const oldPods = old.reduce((sum, { status }) => sum + (status?.replicas ?? 0), 0);

  const room = recreate ? (oldPods === 0 ? wanted : 0) : wanted + surge - replicasOf(old);
  const present = current.spec?.replicas ?? 0;
  const next = present > wanted ? wanted : Math.max(present, Math.min(wanted, room));
  if (next !== present) await resize(current, next);

  // Counted by what was asked for, as the numbers in statuses come later than the changes that cause them.
  const notYetAvailable = next - Math.min(next, current.status?.availableReplicas ?? 0);
  const leastAvailable = wanted - mayBeMissing(deployment);
  let spare = recreate ? replicasOf(old) : Math.max(0, replicasOf(old) + next - leastAvailable - notYetAvailable);
  for (const set of old) {
    const size = set.spec?.replicas ?? 0;
    const gone = Math.min(size, spare);
    if (gone === 0) continue;
    await resize(set, size - gone);
    spare -= gone;
  }
}

/** Old sets without pods are kept for roll-backs, but not all of them. */
async function pruneHistory(
  deployment: Deployment,
  current: ReplicaSet,
  owned: readonly ReplicaSet[],
  sets: CachedResource<ReplicaSet>,
): Promise<void> {
  const idle = owned
    .filter(
      ({ metadata, spec, status }) => metadata?.uid !== current.metadata?.uid && !spec?.replicas && !status?.replicas,
    )
    .sort((left, right) => revisionOf(left) - revisionOf(right));
  const surplus = Math.max(0, idle.length - (deployment.spec?.revisionHistoryLimit ?? 10));
  for (const { metadata } of idle.slice(0, surplus)) await sets.delete(`${metadata?.namespace}/${metadata?.name}`);
}
