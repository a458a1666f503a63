import {
  type ClusterManagementAddOn,
  type ClusterManagementAddOnStatus,
  type InstallConfigReference,
  type InstallProgression,
  ObjectName,
  type PlacementStrategy,
} from '@flotilla/api-types';
import { semanticEqual } from '@flotilla/kube/meta';
import { type PlacementRef, placementKeyOf } from '../caches.ts';
import {
  type ConfigReference,
  configKeyOf,
  type DesiredConfig,
  desiredOf,
  mergedConfigs,
  namedConfigs,
  specHashOf,
} from '../configs/config.ts';
import { isInstalledByPlacements, isManaged } from '../lifecycle.ts';

type Progress = Pick<ClusterManagementAddOnStatus, 'defaultConfigReferences' | 'installProgressions'>;

/** Hashes that a status has, by configuration. */
function hashesOf(references: readonly ConfigReference[] = []): (key: string) => string | undefined {
  const hashes = new Map(
    references.flatMap((reference) => {
      const desired = desiredOf(reference);
      return desired ? [[configKeyOf(desired), desired.specHash] as const] : [];
    }),
  );
  return (key) => hashes.get(key);
}

/** The default configurations that have a name; the others only say that a kind is supported. */
function defaultsOf({ spec, status }: ClusterManagementAddOn): readonly DesiredConfig[] {
  const named = (spec?.defaultConfigs ?? []).filter(({ name }) => name !== '' && name !== ObjectName.NoDefaultConfig);
  return namedConfigs(named, hashesOf(status?.defaultConfigReferences));
}

const referenceOf = (config: DesiredConfig): ConfigReference => ({
  group: config.group,
  resource: config.resource,
  desiredConfig: specHashOf(config),
});

/** The new references with what is known of them: nothing, unless the earlier progression had all of them. */
function carriedOver(
  configs: readonly DesiredConfig[],
  earlier: InstallProgression | undefined,
): Pick<InstallProgression, 'configReferences' | 'conditions'> {
  const known = new Map<string, InstallConfigReference>();
  for (const reference of earlier?.configReferences ?? []) {
    const desired = desiredOf(reference);
    if (desired) known.set(configKeyOf(desired), reference);
  }
  const blank = configs.map(referenceOf);
  if (!earlier || configs.some((config) => !known.has(configKeyOf(config)))) return { configReferences: blank };
  return {
    configReferences: configs.map((config) => {
      const { desiredConfig, lastAppliedConfig, lastKnownGoodConfig } = known.get(configKeyOf(config)) ?? {};
      return {
        ...referenceOf({ ...config, specHash: desiredConfig?.specHash || config.specHash }),
        ...(lastAppliedConfig && { lastAppliedConfig }),
        ...(lastKnownGoodConfig && { lastKnownGoodConfig }),
      };
    }),
    ...(earlier.conditions && { conditions: earlier.conditions }),
  };
}

function progressionOf(
  { namespace, name, configs }: PlacementStrategy,
  defaults: readonly DesiredConfig[],
  earlier: ReadonlyMap<string, InstallProgression>,
): InstallProgression {
  // The manager of the add-on hashes each progression anew.
  const inherited = defaults.map((config) => ({ ...config, specHash: '' }));
  const merged = mergedConfigs(inherited, namedConfigs(configs));
  return { namespace, name, ...carriedOver(merged, earlier.get(placementKeyOf({ namespace, name }))) };
}

/** The configurations of an add-on by default and of each placement; undefined if the status says them already. */
export function nextProgress(addOn: ClusterManagementAddOn): Progress | undefined {
  const { spec, status = {} } = addOn;
  const defaults = defaultsOf(addOn);
  const keyOf = (ref: PlacementRef): string => placementKeyOf(ref);
  const earlier = new Map((status.installProgressions ?? []).map((progression) => [keyOf(progression), progression]));
  const installProgressions = !isInstalledByPlacements(addOn)
    ? []
    : isManaged(addOn)
      ? (spec?.installStrategy?.placements ?? []).map((placement) => progressionOf(placement, defaults, earlier))
      : status.installProgressions;
  const next: Progress = {
    defaultConfigReferences: defaults.map(referenceOf),
    ...(installProgressions && { installProgressions }),
  };
  const isSame =
    semanticEqual(next.defaultConfigReferences, status.defaultConfigReferences) &&
    semanticEqual(next.installProgressions, status.installProgressions);
  return isSame ? undefined : next;
}
