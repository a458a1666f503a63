import {
  type ManagedCluster,
  type ManagedClusterAddOn,
  ManagedClusterAddOnCondition,
  ManagedClusterCondition,
  type ManifestWork,
  ManifestWorkCondition,
} from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube/conditions';
import type { Condition, KubeObject } from '@flotilla/schema';

/** Where one object of the fleet stands. `since` is absent for what is in sync, else when that began (RFC 3339). */
export interface FleetState {
  readonly state: string;
  readonly since?: string | undefined;
}

const sinceOf = (object: KubeObject, condition?: Condition): string | undefined =>
  condition?.lastTransitionTime ?? object.metadata?.creationTimestamp;

/** `True` is in order; `False` and all else have a state each. */
function byCondition(
  object: KubeObject,
  condition: Condition | undefined,
  [good, bad, unknown]: readonly [string, string, string],
): FleetState {
  if (condition?.status === 'True') return { state: good };
  return { state: condition?.status === 'False' ? bad : unknown, since: sinceOf(object, condition) };
}

/** Whether a cluster is accepted and reports. */
export function clusterState(cluster: ManagedCluster): FleetState {
  if (!cluster.spec?.hubAcceptsClient) return { state: 'pending', since: sinceOf(cluster) };
  const available = findCondition(cluster.status?.conditions, ManagedClusterCondition.Available);
  return byCondition(cluster, available, ['available', 'unavailable', 'unknown']);
}

/** Whether what a work says now is applied and available. */
export function workState(work: Pick<ManifestWork, 'metadata' | 'status'>): FleetState {
  const applied = findCondition(work.status?.conditions, ManifestWorkCondition.Applied);
  const generation = work.metadata.generation ?? 0;
  if (!applied || (applied.observedGeneration ?? generation) < generation) {
    return { state: 'pending', since: sinceOf(work, applied) };
  }
  if (applied.status !== 'True') return { state: 'not_applied', since: sinceOf(work, applied) };
  const available = findCondition(work.status?.conditions, ManifestWorkCondition.Available);
  return byCondition(work, available, ['in_sync', 'not_available', 'not_available']);
}

/** Whether an add-on of a cluster is available. */
export const addOnState = (addOn: ManagedClusterAddOn): FleetState =>
  byCondition(addOn, findCondition(addOn.status?.conditions, ManagedClusterAddOnCondition.Available), [
    'available',
    'unavailable',
    'unknown',
  ]);

/** How many objects are in each state, and for how many seconds the oldest of them is not in sync; 0 if all are. */
export function summary(states: readonly FleetState[], now: number): { counts: Map<string, number>; oldest: number } {
  const counts = new Map<string, number>();
  let oldest = 0;
  for (const { state, since } of states) {
    counts.set(state, (counts.get(state) ?? 0) + 1);
    if (since !== undefined) oldest = Math.max(oldest, (now - Date.parse(since)) / 1000);
  }
  return { counts, oldest };
}
