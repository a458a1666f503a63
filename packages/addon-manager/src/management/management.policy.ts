import { offeredConfigs } from '@flotilla/addon-sdk';
import {
  type ClusterManagementAddOn,
  clusterManagementAddOns,
  KeyPrefix,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type Placement,
  type PlacementDecision,
  type PlacementStrategy,
} from '@flotilla/api-types';
import { isDeleting, ownerReferenceTo } from '@flotilla/kube';
import { missingDecisions } from '@flotilla/placement/rollout';
import type { PlacementRef } from '../caches.ts';
import { chosenAnnotation } from '../configs/chosen-configs.ts';

/** What an installation is decided from. */
export interface InstallInput {
  readonly placements: readonly PlacementRef[];
  /** Undefined if there is no such placement. */
  placementOf(placement: PlacementRef): Placement | undefined;
  decisionsOf(placement: PlacementRef): readonly PlacementDecision[];
  /** The add-on wherever it is, whoever made it. */
  readonly existing: readonly ManagedClusterAddOn[];
}

/** What is to be done so that the add-on is on the selected clusters and on no others. */
export interface InstallPlan {
  /** Clusters that get the add-on. */
  readonly create: readonly string[];
  /** Empty while decisions of a placement are missing: it may select any of the clusters. */
  readonly delete: readonly ManagedClusterAddOn[];
  /** Placements that do not exist: they select nothing, so their clusters lose the add-on, as in OCM. */
  readonly missing: readonly PlacementRef[];
}

/** Decides on which clusters the add-on is created and deleted. */
export function planInstall({ placements, existing, placementOf, decisionsOf }: InstallInput): InstallPlan {
  const found = placements.flatMap((ref) => {
    const placement = placementOf(ref);
    return placement ? [{ placement, decisions: decisionsOf(ref) }] : [];
  });
  const selected = new Set(
    found
      .flatMap(({ decisions }) => decisions)
      .flatMap(({ status }) => status?.decisions ?? [])
      .map(({ clusterName }) => clusterName),
  );
  const isHeld = found.some(({ placement, decisions }) => missingDecisions(placement, decisions) !== undefined);
  const there = new Set(existing.map(({ metadata }) => metadata?.namespace));
  return {
    create: [...selected].filter((cluster) => !there.has(cluster)).sort(),
    delete: isHeld
      ? []
      : existing.filter((addOn) => !selected.has(addOn.metadata?.namespace ?? '') && !isDeleting(addOn)),
    missing: placements.filter((placement) => !placementOf(placement)),
  };
}

/** The annotations of a cluster that its add-ons get. */
export const addOnAnnotationsOf = ({ metadata }: Pick<ManagedCluster, 'metadata'>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(metadata?.annotations ?? {}).filter(([key]) => key.startsWith(KeyPrefix.AddOnAnnotation)),
  );

/** The owner of an add-on on a cluster. */
export const ownerReferenceOf = (owner: ClusterManagementAddOn) =>
  ownerReferenceTo(clusterManagementAddOns, owner, { controller: true, blockOwnerDeletion: true });

/** The add-on as a cluster first gets it, by the placement that decides about it. */
export function newAddOn(
  owner: ClusterManagementAddOn,
  cluster: ManagedCluster,
  placement: PlacementStrategy | undefined,
): ManagedClusterAddOn {
  const annotations = {
    ...addOnAnnotationsOf(cluster),
    ...chosenAnnotation({ spec: {} }, owner, offeredConfigs(owner, placement)),
  };
  return {
    metadata: {
      namespace: cluster.metadata?.name,
      name: owner.metadata?.name,
      ...(Object.keys(annotations).length > 0 && { annotations }),
      ownerReferences: [ownerReferenceOf(owner)],
    },
    spec: {},
  };
}
