import type { ResourceType } from '@flotilla/schema';
import type { AddOnDeploymentConfig } from './kinds/addon/add-on-deployment-config.ts';
import type { AddOnDeploymentConfigV1alpha1 } from './kinds/addon/add-on-deployment-config.v1alpha1.ts';
import type { AddOnTemplate } from './kinds/addon/add-on-template.ts';
import type { ClusterManagementAddOn } from './kinds/addon/cluster-management-add-on.ts';
import type { ClusterManagementAddOnV1alpha1 } from './kinds/addon/cluster-management-add-on.v1alpha1.ts';
import type { ManagedClusterAddOn } from './kinds/addon/managed-cluster-add-on.ts';
import type { ManagedClusterAddOnV1alpha1 } from './kinds/addon/managed-cluster-add-on.v1alpha1.ts';
import type { AddOnPlacementScore } from './kinds/cluster/add-on-placement-score.ts';
import type { ClusterClaim } from './kinds/cluster/cluster-claim.ts';
import type { ManagedCluster } from './kinds/cluster/managed-cluster.ts';
import type { ManagedClusterSet } from './kinds/cluster/managed-cluster-set.ts';
import type { ManagedClusterSetBinding } from './kinds/cluster/managed-cluster-set-binding.ts';
import type { Placement } from './kinds/cluster/placement.ts';
import type { PlacementDecision } from './kinds/cluster/placement-decision.ts';
import type { ClusterProfile } from './kinds/inventory/cluster-profile.ts';
import type { ClusterManager } from './kinds/operator/cluster-manager.ts';
import type { Klusterlet } from './kinds/operator/klusterlet.ts';
import type { AppliedManifestWork } from './kinds/work/applied-manifest-work.ts';
import type { ManifestWork } from './kinds/work/manifest-work.ts';
import type { ManifestWorkReplicaSet } from './kinds/work/manifest-work-replica-set.ts';
import { ApiGroup } from './names/groups.ts';

// Where every kind is served. This file loads no schema, so that a process that only talks to the API server
// does not pay for the schema library. A kind with two versions has its plain name for the version that our
// controllers read and write, and the version as a suffix for the other one.

/** A cluster that has asked to join the hub. */
export const managedClusters: ResourceType<ManagedCluster> = {
  group: ApiGroup.Cluster,
  version: 'v1',
  kind: 'ManagedCluster',
  plural: 'managedclusters',
  namespaced: false,
};

/** A group of clusters that a namespace can be allowed to use. */
export const managedClusterSets: ResourceType<ManagedClusterSet> = {
  group: ApiGroup.Cluster,
  version: 'v1beta2',
  kind: 'ManagedClusterSet',
  plural: 'managedclustersets',
  namespaced: false,
};

/** Lets the placements of a namespace choose from the clusters of a set. */
export const managedClusterSetBindings: ResourceType<ManagedClusterSetBinding> = {
  group: ApiGroup.Cluster,
  version: 'v1beta2',
  kind: 'ManagedClusterSetBinding',
  plural: 'managedclustersetbindings',
  namespaced: true,
};

/** Selects clusters from the sets bound to its namespace. */
export const placements: ResourceType<Placement> = {
  group: ApiGroup.Cluster,
  version: 'v1beta1',
  kind: 'Placement',
  plural: 'placements',
  namespaced: true,
};

/** A page of the clusters that a placement selected. */
export const placementDecisions: ResourceType<PlacementDecision> = {
  group: ApiGroup.Cluster,
  version: 'v1beta1',
  kind: 'PlacementDecision',
  plural: 'placementdecisions',
  namespaced: true,
};

/** Scores of one cluster that placements can rank by. */
export const addOnPlacementScores: ResourceType<AddOnPlacementScore> = {
  group: ApiGroup.Cluster,
  version: 'v1alpha1',
  kind: 'AddOnPlacementScore',
  plural: 'addonplacementscores',
  namespaced: true,
};

/** A fact about a managed cluster, on that cluster. */
export const clusterClaims: ResourceType<ClusterClaim> = {
  group: ApiGroup.Cluster,
  version: 'v1alpha1',
  kind: 'ClusterClaim',
  plural: 'clusterclaims',
  namespaced: false,
};

/** Objects to apply on one managed cluster. */
export const manifestWorks: ResourceType<ManifestWork> = {
  group: ApiGroup.Work,
  version: 'v1',
  kind: 'ManifestWork',
  plural: 'manifestworks',
  namespaced: true,
};

/** What a ManifestWork has applied, on the managed cluster. */
export const appliedManifestWorks: ResourceType<AppliedManifestWork> = {
  group: ApiGroup.Work,
  version: 'v1',
  kind: 'AppliedManifestWork',
  plural: 'appliedmanifestworks',
  namespaced: false,
};

/** One ManifestWork for each cluster that placements select. */
export const manifestWorkReplicaSets: ResourceType<ManifestWorkReplicaSet> = {
  group: ApiGroup.Work,
  version: 'v1alpha1',
  kind: 'ManifestWorkReplicaSet',
  plural: 'manifestworkreplicasets',
  namespaced: true,
};

/** An add-on that the hub offers. */
export const clusterManagementAddOns: ResourceType<ClusterManagementAddOn> = {
  group: ApiGroup.AddOn,
  version: 'v1beta1',
  kind: 'ClusterManagementAddOn',
  plural: 'clustermanagementaddons',
  namespaced: false,
};

/** An add-on that the hub offers, in the version that is stored. */
export const clusterManagementAddOnsV1alpha1: ResourceType<ClusterManagementAddOnV1alpha1> = {
  group: ApiGroup.AddOn,
  version: 'v1alpha1',
  kind: 'ClusterManagementAddOn',
  plural: 'clustermanagementaddons',
  namespaced: false,
};

/** An add-on on one managed cluster. */
export const managedClusterAddOns: ResourceType<ManagedClusterAddOn> = {
  group: ApiGroup.AddOn,
  version: 'v1beta1',
  kind: 'ManagedClusterAddOn',
  plural: 'managedclusteraddons',
  namespaced: true,
};

/** An add-on on one managed cluster, in the version that is stored. */
export const managedClusterAddOnsV1alpha1: ResourceType<ManagedClusterAddOnV1alpha1> = {
  group: ApiGroup.AddOn,
  version: 'v1alpha1',
  kind: 'ManagedClusterAddOn',
  plural: 'managedclusteraddons',
  namespaced: true,
};

/** How the agents of an add-on are deployed. */
export const addOnDeploymentConfigs: ResourceType<AddOnDeploymentConfig> = {
  group: ApiGroup.AddOn,
  version: 'v1beta1',
  kind: 'AddOnDeploymentConfig',
  plural: 'addondeploymentconfigs',
  namespaced: true,
};

/** How the agents of an add-on are deployed, in the version that is stored. */
export const addOnDeploymentConfigsV1alpha1: ResourceType<AddOnDeploymentConfigV1alpha1> = {
  group: ApiGroup.AddOn,
  version: 'v1alpha1',
  kind: 'AddOnDeploymentConfig',
  plural: 'addondeploymentconfigs',
  namespaced: true,
};

/** An add-on without a controller of its own: manifests and permissions. */
export const addOnTemplates: ResourceType<AddOnTemplate> = {
  group: ApiGroup.AddOn,
  version: 'v1alpha1',
  kind: 'AddOnTemplate',
  plural: 'addontemplates',
  namespaced: false,
};

/** The hub as the operator runs it. */
export const clusterManagers: ResourceType<ClusterManager> = {
  group: ApiGroup.Operator,
  version: 'v1',
  kind: 'ClusterManager',
  plural: 'clustermanagers',
  namespaced: false,
};

/** The agents as the operator runs them on a managed cluster. */
export const klusterlets: ResourceType<Klusterlet> = {
  group: ApiGroup.Operator,
  version: 'v1',
  kind: 'Klusterlet',
  plural: 'klusterlets',
  namespaced: false,
};

/** A cluster in the inventory that other multi-cluster tools read. */
export const clusterProfiles: ResourceType<ClusterProfile> = {
  group: ApiGroup.MultiCluster,
  version: 'v1alpha1',
  kind: 'ClusterProfile',
  plural: 'clusterprofiles',
  namespaced: true,
};
