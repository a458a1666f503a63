import {
  type AddOnConfigReference,
  type ManagedClusterAddOn,
  ManagedClusterAddOnCondition,
  ManagedClusterAddOnReason,
} from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import type { EpochMs } from '@flotilla/kube/clock';
import { parseTime } from '@flotilla/kube/meta';
import type { RolloutStatus } from '@flotilla/placement/rollout';
import {
  byKind,
  configKeyOf,
  type DesiredConfig,
  desiredOf,
  isSameConfig,
  mergedConfigs,
  namedConfigs,
  specHashOf,
} from '../configs/config.ts';

const reasons = ManagedClusterAddOnReason.Progressing;

/** Reasons of an add-on that is on its way. In OCM time counts from the works on; a cluster whose agent is gone never gets that far. */
const onTheWay: ReadonlySet<string> = new Set([
  reasons.Progressing,
  reasons.WaitingForManifestApplied,
  reasons.WaitingForHostingManifestApplied,
]);

/** How far configurations are on one cluster, and since when. */
export interface AddOnRollout {
  readonly status: RolloutStatus;
  readonly lastTransitionTime?: EpochMs;
}

/**
 * The configurations that the add-on of a cluster should have: its own override what it inherits. The hashes of its own come from its status, where
 * the manager of the add-on keeps them, so that their content changes without a rollout.
 */
export function desiredConfigsFor(
  { spec, status }: ManagedClusterAddOn,
  inherited: readonly DesiredConfig[],
): readonly DesiredConfig[] {
  const known = new Map<string, string>();
  for (const reference of status?.configReferences ?? []) {
    const desired = desiredOf(reference);
    if (desired) known.set(configKeyOf(desired), desired.specHash);
  }
  return mergedConfigs(
    inherited,
    namedConfigs(spec?.configs, (key) => known.get(key)),
  );
}

/** How far the desired configurations are on a cluster. The first reference that is not done decides. */
export function addOnRolloutOf({ status }: ManagedClusterAddOn, desired: readonly DesiredConfig[]): AddOnRollout {
  const references = status?.configReferences ?? [];
  if (references.length !== desired.length) return { status: 'ToApply' };
  const wanted = new Map(desired.map((config) => [configKeyOf(config), config]));
  const progressing = findCondition(status?.conditions, ManagedClusterAddOnCondition.Progressing);
  const lastTransitionTime = parseTime(progressing?.lastTransitionTime);
  const since = lastTransitionTime !== undefined && { lastTransitionTime };
  for (const reference of references) {
    const current = desiredOf(reference);
    const config = current && wanted.get(configKeyOf(current));
    if (!config || config.specHash !== current.specHash) return { status: 'ToApply' };
    if (isSameConfig(reference.desiredConfig, reference.lastAppliedConfig)) continue;
    if (progressing?.reason === reasons.Failed) return { status: 'Failed', ...since };
    return { status: 'Progressing', ...(onTheWay.has(progressing?.reason ?? '') && since) };
  }
  return { status: 'Succeeded', ...(progressing?.reason === reasons.Completed && since) };
}

/** References for the desired configurations: what is known of one that stays is kept, the rest goes. */
export function configReferencesFor(
  existing: readonly AddOnConfigReference[],
  desired: readonly DesiredConfig[],
): AddOnConfigReference[] {
  const wanted = new Map(desired.map((config) => [configKeyOf(config), config]));
  const references: AddOnConfigReference[] = [];
  for (const reference of existing) {
    const current = desiredOf(reference);
    const key = current && configKeyOf(current);
    const config = key === undefined ? undefined : wanted.get(key);
    if (key === undefined || !config) continue;
    wanted.delete(key);
    references.push({ ...reference, desiredConfig: specHashOf(config) });
  }
  for (const config of wanted.values()) {
    const { group, resource } = config;
    references.push({ group, resource, lastObservedGeneration: 0, desiredConfig: specHashOf(config) });
  }
  return references.sort(byKind);
}
