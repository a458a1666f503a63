import {
  type ClusterManagementAddOn,
  type InstallProgression,
  ManagedClusterAddOnCondition,
} from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';

/** Why the rollout to the clusters of a placement, or the removal from others, does not go on; undefined if it does. */
export function stallOf(progression: InstallProgression | undefined): string | undefined {
  const { Stalled, RemovalHeld } = ManagedClusterAddOnCondition;
  const found = [Stalled, RemovalHeld].map((type) => findCondition(progression?.conditions, type));
  return found.find((condition) => condition?.status === 'True')?.message;
}

/** What keeps an add-on from clusters of its placements, as `namespace/name: why`. */
export const stallsOf = ({ status }: ClusterManagementAddOn): string[] =>
  (status?.installProgressions ?? []).flatMap((progression) => {
    const why = stallOf(progression);
    return why === undefined ? [] : [`placement ${progression.namespace}/${progression.name}: ${why}`];
  });
