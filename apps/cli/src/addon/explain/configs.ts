import { type AddOnConfig, type AddOnConfigReference, kindKeyOf, ObjectName, scopedConfig } from '@flotilla/api-types';
import type { AddOnFacts } from './facts.ts';

/** Where a configuration is said; a layer replaces all that earlier ones say of the same kind. */
export type ConfigLayer = 'default' | 'placement' | 'cluster';

/** A configuration of an add-on on a cluster, and how far it has come there. */
export interface ConfigExplanation {
  readonly config: AddOnConfig;
  readonly layer: ConfigLayer;
  /** What says it: an object, and the placement in it. */
  readonly from: string;
  readonly exists?: boolean;
  /** The hash that the add-on is to have; absent if it was not given one yet. */
  readonly desiredHash?: string;
  /** The hash that has arrived. */
  readonly appliedHash?: string;
  readonly state: 'applied' | 'rolling out' | 'not given to the cluster yet' | 'without a hash' | 'missing';
}

const keyOf = (config: AddOnConfig): string => `${kindKeyOf(config)}/${config.namespace ?? ''}/${config.name}`;

interface Layered {
  readonly layer: ConfigLayer;
  readonly from: string;
  readonly configs: readonly AddOnConfig[];
}

/** The layers that say something about this cluster, the lowest first. */
function layersOf({ name, clusterName, offered, addOn, placements }: AddOnFacts): Layered[] {
  const defaults = (offered?.spec?.defaultConfigs ?? []).filter(
    (config) => config.name !== '' && config.name !== ObjectName.NoDefaultConfig,
  );
  // The last placement that selects a cluster says how the add-on is configured there.
  const placement = placements.at(-1);
  return [
    { layer: 'default', from: `ClusterManagementAddOn ${name}`, configs: defaults },
    {
      layer: 'placement',
      from: `placement ${placement?.namespace}/${placement?.name} in ClusterManagementAddOn ${name}`,
      configs: placement?.configs ?? [],
    },
    { layer: 'cluster', from: `ManagedClusterAddOn ${clusterName}/${name}`, configs: addOn?.spec?.configs ?? [] },
  ];
}

/** The configurations in force on a cluster: of each kind those of the highest layer that names the kind. */
export function explainConfigs(facts: AddOnFacts): ConfigExplanation[] {
  const byKind = new Map<string, Layered>();
  for (const layered of layersOf(facts)) {
    for (const [kind, configs] of Map.groupBy(layered.configs.map(scopedConfig), kindKeyOf))
      byKind.set(kind, { ...layered, configs });
  }
  return [...byKind]
    .sort(([a], [b]) => a.localeCompare(b))
    .flatMap(([, { layer, from, configs }]) =>
      [...new Map(configs.map((config) => [keyOf(config), config])).values()].map((config) =>
        explainConfig(facts, config, layer, from),
      ),
    );
}

function explainConfig(facts: AddOnFacts, config: AddOnConfig, layer: ConfigLayer, from: string): ConfigExplanation {
  const reference = facts.addOn?.status?.configReferences?.find((each) => isOf(each, config));
  const desiredHash = reference?.desiredConfig?.specHash;
  const applied = reference?.lastAppliedConfig;
  const appliedHash = applied?.name === config.name ? applied.specHash : undefined;
  const exists = facts.exists(config);
  return {
    config,
    layer,
    from,
    ...(exists !== undefined && { exists }),
    ...(desiredHash && { desiredHash }),
    ...(appliedHash && { appliedHash }),
    state: stateOf({ exists, reference, desiredHash, appliedHash }),
  };
}

const isOf = (reference: AddOnConfigReference, config: AddOnConfig): boolean =>
  kindKeyOf(reference) === kindKeyOf(config) &&
  reference.desiredConfig?.name === config.name &&
  (reference.desiredConfig.namespace ?? '') === (config.namespace ?? '');

function stateOf({
  exists,
  reference,
  desiredHash,
  appliedHash,
}: {
  exists: boolean | undefined;
  reference: AddOnConfigReference | undefined;
  desiredHash: string | undefined;
  appliedHash: string | undefined;
}): ConfigExplanation['state'] {
  if (exists === false) return 'missing';
  if (!reference) return 'not given to the cluster yet';
  if (!desiredHash) return 'without a hash';
  return desiredHash === appliedHash ? 'applied' : 'rolling out';
}

/** `addondeploymentconfigs open-cluster-management/small`. */
export const describeConfig = ({ resource, namespace, name }: AddOnConfig): string =>
  `${resource} ${namespace ? `${namespace}/` : ''}${name}`;
