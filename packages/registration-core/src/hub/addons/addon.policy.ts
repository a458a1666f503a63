import {
  AddOnFeatureValue,
  Label,
  type ManagedCluster,
  type ManagedClusterAddOn,
  ManagedClusterAddOnCondition,
  ManagedClusterCondition,
} from '@flotilla/api-types';
import { type ConditionInput, findCondition, isDeleting } from '@flotilla/kube';

/** What an add-on has to say when nothing is known of its cluster; undefined while something is. */
export function lostAddOn(cluster: ManagedCluster): ConditionInput | undefined {
  const available = findCondition(cluster.status?.conditions, ManagedClusterCondition.Available);
  if (available?.status !== 'Unknown') return undefined;
  const { status, reason, message } = available;
  return { type: ManagedClusterAddOnCondition.Available, status, reason, message };
}

/** The value of the feature label for an add-on. */
export function featureValue(addOn: ManagedClusterAddOn): string {
  const status = findCondition(addOn.status?.conditions, ManagedClusterAddOnCondition.Available)?.status;
  if (status === 'True') return AddOnFeatureValue.Available;
  return status === 'False' ? AddOnFeatureValue.Unhealthy : AddOnFeatureValue.Unreachable;
}

const prefix = Label.AddOnFeature.template.slice(0, Label.AddOnFeature.template.indexOf('{'));

/** The feature labels of a cluster that must change: a value, or null for one whose add-on is gone. */
export function featureLabelChanges(
  cluster: ManagedCluster,
  addOns: readonly ManagedClusterAddOn[],
): Record<string, string | null> {
  const wanted = new Map(
    addOns
      .filter((addOn) => !isDeleting(addOn))
      .map((addOn) => [`${prefix}${addOn.metadata?.name ?? ''}`, featureValue(addOn)] as const),
  );
  const present = cluster.metadata?.labels ?? {};
  const changes: Record<string, string | null> = {};
  for (const [label, value] of wanted) if (present[label] !== value) changes[label] = value;
  for (const label of Object.keys(present)) if (label.startsWith(prefix) && !wanted.has(label)) changes[label] = null;
  return changes;
}
