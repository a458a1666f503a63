import {
  type ClusterManagementAddOn,
  clusterManagementAddOns,
  Label,
  type ManagedCluster,
  type ManagedClusterAddOn,
  managedClusterAddOns,
  managedClusters,
  type Placement,
  type PlacementDecision,
  type PlacementStrategy,
  placementDecisions,
  placements,
} from '@flotilla/api-types';
import { type CachedResource, type Clock, type Informers, joinKey, keyOf } from '@flotilla/kube';
import { isInstalledByPlacements } from './lifecycle.ts';

/** A placement, as an install strategy and a progression name it. */
export interface PlacementRef {
  readonly namespace: string;
  readonly name: string;
}

/** What the controllers of add-ons share: one cache per kind, and the time. */
export interface AddonCaches {
  readonly clock: Clock;
  readonly managementAddOns: CachedResource<ClusterManagementAddOn>;
  readonly addOns: CachedResource<ManagedClusterAddOn>;
  readonly clusters: CachedResource<ManagedCluster>;
  readonly placements: CachedResource<Placement>;
  readonly decisions: CachedResource<PlacementDecision>;
  /** The add-on on each cluster that has it. */
  addOnsNamed(name: string): ManagedClusterAddOn[];
  /** The add-ons of a cluster. */
  addOnsOf(cluster: string): ManagedClusterAddOn[];
  /** Names of the add-ons that a placement installs. */
  installedBy(placement: string): string[];
  /** Names of all add-ons that placements install. */
  installedByPlacements(): string[];
  decisionsOf(placement: PlacementRef): PlacementDecision[];
  /** The placement of an install strategy that decides about a cluster: of several that select it, the last. */
  placementOf(owner: ClusterManagementAddOn, cluster: string): PlacementStrategy | undefined;
}

// Caches are shared by all parts of a hub, and so are the names of their indexes.
const byName = 'addon-manager.name';
const byCluster = 'addon-manager.cluster';
const byPlacement = 'addon-manager.placement';
const byDecided = 'addon-manager.decided';
const anyPlacement = '*';

const listOf = (value: string | undefined): readonly string[] => (value ? [value] : []);

const placementsOf = (addOn: ClusterManagementAddOn): readonly string[] =>
  isInstalledByPlacements(addOn)
    ? [anyPlacement, ...(addOn.spec?.installStrategy?.placements ?? []).map((ref) => placementKeyOf(ref))]
    : [];

/** `namespace/name` of a placement. */
export const placementKeyOf = ({ namespace, name }: PlacementRef): string => joinKey(namespace, name);

/** `namespace/name` of the placement of a decision. */
export const placementOfDecision = ({ metadata }: PlacementDecision): string =>
  joinKey(metadata?.namespace, metadata?.labels?.[Label.Placement] ?? '');

/** Opens the caches. */
export function addonCaches(informers: Informers, clock: Clock): AddonCaches {
  const managementAddOns = informers.resource(clusterManagementAddOns, { indexes: { [byPlacement]: placementsOf } });
  const addOns = informers.resource(managedClusterAddOns, {
    indexes: {
      [byName]: ({ metadata }) => listOf(metadata?.name),
      [byCluster]: ({ metadata }) => listOf(metadata?.namespace),
    },
  });
  const decisions = informers.resource(placementDecisions, {
    indexes: {
      [byPlacement]: (decision) => [placementOfDecision(decision)],
      [byDecided]: ({ status }) => (status?.decisions ?? []).map(({ clusterName }) => clusterName),
    },
  });
  const existing = informers.resource(placements);
  const placementOf = ({ spec }: ClusterManagementAddOn, cluster: string): PlacementStrategy | undefined => {
    const selecting = new Set(decisions.byIndex(byDecided, cluster).map(placementOfDecision));
    return spec?.installStrategy?.placements?.findLast((ref) => {
      const key = placementKeyOf(ref);
      return selecting.has(key) && existing.has(key);
    });
  };
  const installedBy = (placement: string): string[] =>
    managementAddOns.byIndex(byPlacement, placement).map((addOn) => keyOf(addOn));
  return {
    clock,
    managementAddOns,
    addOns,
    clusters: informers.resource(managedClusters),
    placements: existing,
    decisions,
    addOnsNamed: (name) => addOns.byIndex(byName, name),
    addOnsOf: (cluster) => addOns.byIndex(byCluster, cluster),
    installedBy,
    installedByPlacements: () => installedBy(anyPlacement),
    decisionsOf: (placement) => decisions.byIndex(byPlacement, placementKeyOf(placement)),
    placementOf,
  };
}
