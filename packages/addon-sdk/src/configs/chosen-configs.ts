import {
  type AddOnConfig,
  Annotation,
  type ClusterManagementAddOn,
  type ManagedClusterAddOn,
  ObjectName,
  overrideConfigs,
  type PlacementStrategy,
  scopedConfig,
} from '@flotilla/api-types';
import { isDeleting } from '@flotilla/kube';

/** A configuration by its name. */
export interface ConfigName {
  readonly group?: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
}

/** The placement of an install strategy that decides about a cluster; undefined if none selects it. */
export type PlacementOf = (offer: ClusterManagementAddOn, cluster: string) => PlacementStrategy | undefined;

/** One text for one configuration, whatever its content: `resource.group/namespace/name`, as works name it. */
export const configText = ({ group, resource, namespace = '', name }: ConfigName): string =>
  `${resource}${group ? `.${group}` : ''}/${namespace}/${name}`;

/** What an add-on is offered with on the clusters of a placement, or without one. */
export function offeredConfigs(
  { spec }: ClusterManagementAddOn,
  placement?: Pick<PlacementStrategy, 'configs'>,
): readonly AddOnConfig[] {
  const named = (spec?.defaultConfigs ?? []).filter(({ name }) => name !== '' && name !== ObjectName.NoDefaultConfig);
  return overrideConfigs(named.map(scopedConfig), (placement?.configs ?? []).map(scopedConfig));
}

/** What the hub wants on a cluster: its own configurations override those that are offered. */
export const wantedConfigs = (
  { spec }: Pick<ManagedClusterAddOn, 'spec'>,
  offered: readonly AddOnConfig[],
): readonly AddOnConfig[] => overrideConfigs(offered, (spec?.configs ?? []).map(scopedConfig));

/** Each of the ways in which an add-on may be configured on a cluster; where the placement of a cluster is not known, those of all. */
function offersFor(
  offer: ClusterManagementAddOn,
  cluster: string,
  placementOf: PlacementOf | undefined,
): (readonly AddOnConfig[])[] {
  const { type, placements = [] } = offer.spec?.installStrategy ?? {};
  if (type !== 'Placements') return [offeredConfigs(offer)];
  if (!placementOf) return placements.map((placement) => offeredConfigs(offer, placement));
  const deciding = placementOf(offer, cluster);
  return deciding ? [offeredConfigs(offer, deciding)] : [];
}

/** The record of what the hub chose for a cluster, as an annotation: sorted, so that the same choice is the same text. */
export const chosenRecord = (configs: readonly ConfigName[]): string =>
  JSON.stringify([...new Set(configs.map(configText))].sort());

/** What the record says; undefined if there is none. */
function recordedConfigs({ metadata }: ManagedClusterAddOn): readonly string[] | undefined {
  const text = metadata?.annotations?.[Annotation.ChosenConfigs];
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/**
 * Tells whether the hub chose a configuration for an add-on on a cluster. The status names configurations, but the agent of the cluster
 * may write it: believed, it could have rendered what was meant for other clusters. What counts is the spec of both objects, and the record
 * of what the cluster had before, which clusters keep while a rollout has not come to them.
 */
export function chosenBy(
  addon: ManagedClusterAddOn,
  offer: ClusterManagementAddOn | undefined,
  placementOf?: PlacementOf,
): (config: ConfigName) => boolean {
  const recorded = recordedConfigs(addon);
  // Hubs of OCM keep no record. What offered the configuration may be gone by now, and hooks must still run.
  if (!recorded && !placementOf && isDeleting(addon)) return () => true;
  const offers = offer ? offersFor(offer, addon.metadata?.namespace ?? '', placementOf) : [];
  const wanted = offers.length > 0 ? offers : [[]];
  const chosen = new Set([
    ...(recorded ?? []),
    ...wanted.flatMap((offered) => wantedConfigs(addon, offered).map(configText)),
  ]);
  return (config) => chosen.has(configText(scopedConfig(config)));
}
