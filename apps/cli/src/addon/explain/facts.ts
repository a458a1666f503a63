import type {
  AddOnConfig,
  ClusterManagementAddOn,
  ManagedCluster,
  ManagedClusterAddOn,
  ManifestWork,
  PlacementStrategy,
} from '@flotilla/api-types';

/** All that an explanation of an add-on on one cluster is made of. */
export interface AddOnFacts {
  readonly name: string;
  readonly clusterName: string;
  readonly cluster?: ManagedCluster;
  /** When the agent of the cluster last renewed its lease. */
  readonly heartbeat?: string;
  /** What the hub offers. */
  readonly offered?: ClusterManagementAddOn;
  /** What the cluster has. */
  readonly addOn?: ManagedClusterAddOn;
  /** Those of the placements that install it and select the cluster. */
  readonly placements: readonly PlacementStrategy[];
  readonly works: readonly ManifestWork[];
  /** Whether a configuration exists; undefined if the user cannot read it. */
  readonly exists: (config: AddOnConfig) => boolean | undefined;
  readonly now: number;
}
