import { type ManagedCluster, ManagedClusterCondition, ManifestWorkCondition } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import { formatAge } from '../../output/table.ts';
import type { Manifest } from '../manifests.ts';
import { conditionOf, isCurrent, isTaken } from '../work-state.ts';
import type { WorkFacts } from './facts.ts';
import { explainManifest, type ManifestExplanation } from './manifest-explanation.ts';

/** One place that a work passes, and what is seen there. */
export interface Link {
  readonly where: 'hub' | 'cluster' | 'agent' | 'managed';
  readonly state: string;
}

/** The way of a work from the hub to the objects. */
export interface Explanation {
  readonly work: string;
  readonly cluster: string;
  /** All in one sentence. */
  readonly verdict: string;
  readonly chain: readonly Link[];
  readonly manifests: readonly ManifestExplanation[];
  /** What to do, most important first; none if all is well. */
  readonly advice: readonly string[];
}

const ago = (time: string | undefined, now: number): string =>
  time ? `${formatAge(time, now)} ago` : 'at a time unknown';

/** What keeps the agent of a cluster from working; empty if nothing does. */
function clusterProblem(cluster: ManagedCluster | undefined, name: string): string {
  if (!cluster) return `there is no ManagedCluster ${name}: nobody will take the work`;
  if (!cluster.spec?.hubAcceptsClient) return 'it is not accepted: its agent may not read works';
  const conditions = cluster.status?.conditions;
  if (!findCondition(conditions, ManagedClusterCondition.Joined)) return 'it has not joined yet';
  const available = findCondition(conditions, ManagedClusterCondition.Available);
  return available?.status === 'True'
    ? ''
    : `Available is ${available?.status ?? 'not reported'}: ${available?.message ?? ''}`;
}

function hubLink({ work, now }: WorkFacts): Link {
  const { namespace, name, generation = 0, creationTimestamp, deletionTimestamp } = work.metadata ?? {};
  const deleted = deletionTimestamp ? `, deleted ${ago(deletionTimestamp, now)}` : '';
  const state = `ManifestWork ${namespace}/${name}, generation ${generation}, made ${ago(creationTimestamp, now)}${deleted}`;
  return { where: 'hub', state };
}

function clusterLink({ cluster, heartbeat, work, now }: WorkFacts): Link {
  const problem = clusterProblem(cluster, work.metadata?.namespace ?? '');
  const heard = heartbeat ? `; its agent was heard of ${ago(heartbeat, now)}` : '';
  return { where: 'cluster', state: `${problem || 'is accepted and Available'}${heard}` };
}

function agentLink({ work, now }: WorkFacts): Link {
  if (!isTaken(work)) return { where: 'agent', state: 'has not taken the work: its finalizer is not there' };
  const parts = [
    ManifestWorkCondition.Applied,
    ManifestWorkCondition.Available,
    ManifestWorkCondition.Complete,
  ].flatMap((type) => {
    const condition = conditionOf(work, type);
    if (!condition) return [];
    const old = isCurrent(work, condition) ? '' : `, of generation ${condition.observedGeneration ?? 0}`;
    return [`${type} is ${condition.status} since ${ago(condition.lastTransitionTime, now).replace(' ago', '')}${old}`];
  });
  const { serviceAccount } = work.spec?.executor?.subject ?? {};
  if (serviceAccount) parts.push(`applies as far as ${serviceAccount.namespace}/${serviceAccount.name} may`);
  return { where: 'agent', state: parts.length > 0 ? parts.join('; ') : 'has taken the work and reported nothing yet' };
}

function managedLink({ managed, now }: WorkFacts): Link[] {
  if (!managed) return [];
  const { appliedWorks } = managed;
  if (appliedWorks.length === 0) return [{ where: 'managed', state: 'has no AppliedManifestWork of this name' }];
  const states = appliedWorks.map(({ metadata, status }) => {
    const eviction = status?.evictionStartTime
      ? `, to be removed: its work was first missed ${ago(status.evictionStartTime, now)}`
      : '';
    const going = metadata?.deletionTimestamp ? ', being deleted' : '';
    const count = status?.appliedResources?.length ?? 0;
    return `AppliedManifestWork ${metadata?.name} remembers ${count} ${count === 1 ? 'object' : 'objects'}${going}${eviction}`;
  });
  return [{ where: 'managed', state: states.join('; ') }];
}

function verdictOf(facts: WorkFacts, manifests: readonly ManifestExplanation[]): string {
  const { work, cluster } = facts;
  const total = manifests.length;
  if (work.metadata?.deletionTimestamp) {
    const left = facts.managed?.appliedWorks.flatMap(({ status }) => status?.appliedResources ?? []).length;
    const what = left === undefined ? '' : `: ${left} ${left === 1 ? 'object is' : 'objects are'} still there`;
    return `is being deleted${what}`;
  }
  if (!isTaken(work)) return clusterProblem(cluster, work.metadata?.namespace ?? '') || 'waits for the agent';
  const applied = conditionOf(work, ManifestWorkCondition.Applied);
  if (!applied) return 'the agent has taken it and reported nothing yet';
  if (!isCurrent(work, applied)) return 'the agent has not come to the last change yet';
  const failed = manifests.filter((manifest) => manifest.applied.status === 'False').length;
  if (failed > 0) return `${total === 1 ? 'its manifest' : `${failed} of ${total} manifests`} could not be applied`;
  const available = conditionOf(work, ManifestWorkCondition.Available);
  if (available?.status !== 'True') return available?.message ?? 'applied; nothing is known of the objects yet';
  if (conditionOf(work, ManifestWorkCondition.Complete)?.status === 'True') return 'is complete: it is applied no more';
  return total === 1
    ? 'its manifest is applied, and the object exists'
    : `all ${total} manifests are applied, and their objects exist`;
}

function adviceOf(facts: WorkFacts, manifests: readonly ManifestExplanation[]): string[] {
  const name = facts.work.metadata?.namespace ?? '';
  const advice: string[] = [];
  const problem = clusterProblem(facts.cluster, name);
  if (problem !== '') advice.push(`Cluster ${name} is not in order: see \`flotilla get clusters -o wide\`.`);
  else if (!isTaken(facts.work)) advice.push(`The agent of ${name} runs, but not its part for works: look at its log.`);
  for (const manifest of manifests) if (manifest.advice) advice.push(`[${manifest.index}] ${manifest.advice}`);
  for (const { index, live, applied } of manifests) {
    for (const { manager, contested } of live?.writers ?? []) {
      // Where the agent gives way, its error has said so.
      if (contested.length === 0 || applied.status === 'False') continue;
      advice.push(
        `[${index}] ${manager} writes ${contested.join(', ')}, which the manifest sets too. Leave it out of the manifest, or ignore it (serverSideApply.ignoreFields).`,
      );
    }
    if (live?.deleting && live.finalizers) {
      advice.push(`[${index}] The object waits for its finalizers: ${live.finalizers.join(', ')}.`);
    }
  }
  return [...new Set(advice)];
}

/** Explains where a work is and why. */
export function explainWork(facts: WorkFacts): Explanation {
  const { work, managed } = facts;
  const specified: readonly Manifest[] = work.spec?.workload?.manifests ?? [];
  const manifests = specified.map((manifest, index) => explainManifest(work, index, manifest, managed));
  return {
    work: work.metadata?.name ?? '',
    cluster: work.metadata?.namespace ?? '',
    verdict: verdictOf(facts, manifests),
    chain: [hubLink(facts), clusterLink(facts), agentLink(facts), ...managedLink(facts)],
    manifests,
    advice: adviceOf(facts, manifests),
  };
}
