import type { Pod, PodDisruptionBudget } from '@flotilla/kube/kinds';
import { formatTime, parseTime } from '@flotilla/kube/meta';
import { shareOf } from './deployment.status.ts';
import { isActive, isReady } from './pod-state.ts';

type BudgetStatus = NonNullable<PodDisruptionBudget['status']>;
type BudgetCondition = NonNullable<BudgetStatus['conditions']>[number];

/** An eviction whose pod is still there after this long did not happen. */
const evictionTimeoutMs = 2 * 60_000;

/**
 * How many of the pods of a budget may go. `expected` is how many its workloads want: shares are counted of that, so that a pod
 * which is missing does not allow the next eviction.
 */
export function budgetStatus(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  expected: number,
  now: number,
): BudgetStatus {
  const { minAvailable, maxUnavailable } = budget.spec ?? {};
  const active = pods.filter(isActive);
  const isCount = maxUnavailable === undefined && typeof minAvailable === 'number';
  const expectedPods = isCount ? active.length : expected;
  const desiredHealthy =
    maxUnavailable === undefined
      ? shareOf(minAvailable ?? 0, expectedPods, Math.ceil)
      : Math.max(0, expectedPods - shareOf(maxUnavailable, expectedPods, Math.ceil));
  const disruptedPods = stillGoing(budget.status?.disruptedPods ?? {}, active, now);
  const currentHealthy = active.filter(
    (pod) => isReady(pod) && disruptedPods[pod.metadata?.name ?? ''] === undefined,
  ).length;
  const disruptionsAllowed = expectedPods === 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  return {
    ...(budget.metadata?.generation !== undefined && { observedGeneration: budget.metadata.generation }),
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed,
    expectedPods,
    ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }),
    conditions: [condition(budget, disruptionsAllowed > 0, now)],
  };
}

/** Evictions that the API server promised and that are still to be seen. */
function stillGoing(
  promised: Readonly<Record<string, string>>,
  active: readonly Pod[],
  now: number,
): Record<string, string> {
  const names = new Set(active.map(({ metadata }) => metadata?.name));
  const isPending = ([name, time]: [string, string]): boolean =>
    names.has(name) && now - (parseTime(time) ?? 0) < evictionTimeoutMs;
  return Object.fromEntries(Object.entries(promised).filter(isPending));
}

function condition({ metadata, status }: PodDisruptionBudget, allowed: boolean, now: number): BudgetCondition {
  const type = 'DisruptionAllowed';
  const old = status?.conditions?.find((one) => one.type === type);
  const value = allowed ? 'True' : 'False';
  return {
    type,
    status: value,
    reason: allowed ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    lastTransitionTime: old?.status === value ? old.lastTransitionTime : formatTime(now),
    ...(metadata?.generation !== undefined && { observedGeneration: metadata.generation }),
  };
}
