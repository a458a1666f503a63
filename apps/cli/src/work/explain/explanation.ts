import { ManifestWorkCondition } from '@flotilla/api-types';
import type { Manifest } from '../manifests.ts';
import { conditionOf, isCurrent, isTaken } from '../work-state.ts';
import { chainOf, clusterAdvice, clusterError, type Link } from './chain.ts';
import type { WorkFacts } from './facts.ts';
import { explainManifest, type ManifestExplanation } from './manifest-explanation.ts';

/** The way of a work from the hub to the objects. */
export interface Explanation {
  readonly work: string;
  readonly cluster: string;
  /** All in one sentence. */
  readonly summary: string;
  readonly chain: readonly Link[];
  readonly manifests: readonly ManifestExplanation[];
  /** What to do, most important first; none if all is well. */
  readonly advice: readonly string[];
}

function summaryOf(facts: WorkFacts, manifests: readonly ManifestExplanation[]): string {
  const { work, cluster } = facts;
  const total = manifests.length;
  if (work.metadata?.deletionTimestamp) {
    const left = facts.managed?.appliedWorks.flatMap(({ status }) => status?.appliedResources ?? []).length;
    const what = left === undefined ? '' : `: ${left} ${left === 1 ? 'object is' : 'objects are'} still there`;
    return `is being deleted${what}`;
  }
  if (!isTaken(work)) return clusterError(cluster, work.metadata?.namespace ?? '') || 'waits for the agent';
  const applied = conditionOf(work, ManifestWorkCondition.Applied);
  if (!applied) return 'the agent has taken it and reported nothing yet';
  if (!isCurrent(work, applied)) return 'the agent has not observed the last change yet';
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
  const advice: string[] = [];
  const first = clusterAdvice(facts);
  if (first !== undefined) advice.push(first);
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
  const { work } = facts;
  const specified: readonly Manifest[] = work.spec?.workload?.manifests ?? [];
  const manifests = specified.map((manifest, index) => explainManifest(index, manifest, facts));
  return {
    work: work.metadata?.name ?? '',
    cluster: work.metadata?.namespace ?? '',
    summary: summaryOf(facts, manifests),
    chain: chainOf(facts),
    manifests,
    advice: adviceOf(facts, manifests),
  };
}
