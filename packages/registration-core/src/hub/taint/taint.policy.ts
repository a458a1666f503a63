import {
  type ManagedCluster,
  ManagedClusterCondition,
  type ManagedClusterTaint,
  TaintEffect,
  TaintKey,
} from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';

const unavailable: ManagedClusterTaint = { key: TaintKey.Unavailable, effect: TaintEffect.NoSelect };
const unreachable: ManagedClusterTaint = { key: TaintKey.Unreachable, effect: TaintEffect.NoSelect };

/** Whether two taints are the same one; when they were added does not matter. */
export const sameTaint = (a: ManagedClusterTaint, b: ManagedClusterTaint): boolean =>
  a.key === b.key && (a.value ?? '') === (b.value ?? '') && a.effect === b.effect;

const without = (taints: readonly ManagedClusterTaint[], taint: ManagedClusterTaint): readonly ManagedClusterTaint[] =>
  taints.some((other) => sameTaint(other, taint)) ? taints.filter((other) => !sameTaint(other, taint)) : taints;

const including = (
  taints: readonly ManagedClusterTaint[],
  taint: ManagedClusterTaint,
): readonly ManagedClusterTaint[] => (taints.some((other) => sameTaint(other, taint)) ? taints : [...taints, taint]);

/** The taints that a cluster should have by its availability; undefined if it has them. Those of users stay as they are. */
export function taintsFor(cluster: ManagedCluster): readonly ManagedClusterTaint[] | undefined {
  const taints: readonly ManagedClusterTaint[] = cluster.spec?.taints ?? [];
  const available = findCondition(cluster.status?.conditions, ManagedClusterCondition.Available)?.status;
  const wanted = (): readonly ManagedClusterTaint[] => {
    if (available === 'True') return without(without(taints, unavailable), unreachable);
    if (available === 'False') return including(without(taints, unreachable), unavailable);
    return including(without(taints, unavailable), unreachable);
  };
  const next = wanted();
  return next === taints ? undefined : next;
}
