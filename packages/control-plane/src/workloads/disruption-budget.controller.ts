import { type Controller, defineController, done, keyOf, on } from '@flotilla/kube';
import {
  deployments,
  type Pod,
  type PodDisruptionBudget,
  podDisruptionBudgets,
  replicaSets,
  statefulSets,
} from '@flotilla/kube/kinds';
import { controllerOf, matchesLabels, semanticEqual } from '@flotilla/kube/meta';
import type { WorkloadContext } from './context.ts';
import { budgetStatus } from './disruption-budget.status.ts';

/** Counts for each disruption budget how many of its pods may be evicted. */
export function disruptionBudgetController({ informers, pods, clock }: WorkloadContext): Controller {
  const budgets = informers.resource(podDisruptionBudgets);
  const sets = informers.resource(replicaSets);
  const stateful = informers.resource(statefulSets);
  const rollouts = informers.resource(deployments);

  const isMeant = ({ metadata, spec }: PodDisruptionBudget, pod: Pod): boolean =>
    pod.metadata?.namespace === metadata?.namespace && matchesLabels(spec?.selector, pod.metadata?.labels);
  const budgetsOf = (pod: Pod): string[] =>
    budgets
      .list()
      .filter((budget) => isMeant(budget, pod))
      .map(keyOf);

  /** The workload that says how many pods there shall be, and how many. */
  const wantedBy = (pod: Pod): readonly [uid: string, replicas: number] | undefined => {
    const owner = controllerOf(pod);
    const key = `${pod.metadata?.namespace}/${owner?.name}`;
    if (owner?.kind === 'StatefulSet') return [owner.uid, stateful.get(key)?.spec?.replicas ?? 1];
    if (owner?.kind !== 'ReplicaSet') return undefined;
    const set = sets.get(key);
    const above = set && controllerOf(set);
    if (above?.kind !== 'Deployment') return [owner.uid, set?.spec?.replicas ?? 1];
    return [above.uid, rollouts.get(`${pod.metadata?.namespace}/${above.name}`)?.spec?.replicas ?? 1];
  };
  const expectedOf = (guarded: readonly Pod[]): number => {
    const wanted = new Map<string, number>();
    for (const pod of guarded) {
      const [uid, replicas] = wantedBy(pod) ?? [];
      if (uid !== undefined && replicas !== undefined) wanted.set(uid, replicas);
    }
    return [...wanted.values()].reduce((sum, replicas) => sum + replicas, 0);
  };

  return defineController({
    name: 'disruption-budgets',
    watches: [on(budgets), on(pods, budgetsOf)],
    reads: [sets, stateful, rollouts],
    async reconcile(key) {
      const budget = budgets.get(key);
      if (!budget) return done;
      const guarded = pods.list().filter((pod) => isMeant(budget, pod));
      const status = budgetStatus(budget, guarded, expectedOf(guarded), clock.now());
      if (!semanticEqual(status, budget.status)) await budgets.status.replace({ ...budget, status });
      return done;
    },
  });
}
