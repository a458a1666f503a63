import { type ManagedClusterAddOn, ManagedClusterAddOnCondition } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import type { Condition } from '@flotilla/schema';

/** One condition of an add-on on a cluster. */
export const conditionOf = (
  { status }: ManagedClusterAddOn,
  type: keyof typeof ManagedClusterAddOnCondition,
): Condition | undefined => findCondition(status?.conditions, ManagedClusterAddOnCondition[type]);

/** The steps of an installation that say when they fail, in their order. */
const steps = ['HostingClusterValidity', 'RegistrationApplied', 'ManifestApplied', 'HostingManifestApplied'] as const;

/** Why the hub or the agents cannot apply what the add-on wants now. What they applied before may still be Available. */
export const failedStepOf = (addOn: ManagedClusterAddOn): string | undefined =>
  steps.map((type) => conditionOf(addOn, type)).find((condition) => condition?.status === 'False')?.message;

/** Where an add-on is on its way, in one sentence; empty if it is Available. */
export function addOnState(addOn: ManagedClusterAddOn): string {
  if (addOn.metadata?.deletionTimestamp) {
    const hook = conditionOf(addOn, 'HookManifestCompleted');
    return hook?.status === 'False' ? `is being removed: ${hook.message}` : 'is being removed';
  }
  const failed = failedStepOf(addOn);
  if (failed !== undefined) return failed;
  const configured = conditionOf(addOn, 'Configured');
  if (configured?.status === 'False') return configured.message;
  const available = conditionOf(addOn, 'Available');
  if (available?.status === 'True') return '';
  const progressing = conditionOf(addOn, 'Progressing');
  if (progressing && progressing.reason !== 'Completed') return progressing.message;
  return available?.message ?? 'nothing is reported of it yet';
}
