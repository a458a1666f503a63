import {
  type ClusterProfile,
  ClusterProfileCondition,
  type ClusterProfileStatus,
  InventoryManagerValue,
  Label,
  type ManagedCluster,
  ManagedClusterCondition,
} from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import type { EpochMs } from '@flotilla/kube/clock';
import { setConditions } from '@flotilla/kube/conditions';

const manager = InventoryManagerValue.OpenClusterManagement;

/** Whether a profile is ours to keep. */
export const isOurs = ({ metadata }: ClusterProfile): boolean => metadata?.labels?.[Label.InventoryManager] === manager;

/** Whether a profile says that this hub manages its cluster. */
export const isManagedHere = ({ spec }: ClusterProfile): boolean => spec.clusterManager.name === manager;

/** The cluster that a profile shows. */
export const clusterOfProfile = ({ metadata }: ClusterProfile): string =>
  metadata?.labels?.[Label.ClusterName] || (metadata?.name ?? '');

/** A profile as it is made. */
export const newProfile = (namespace: string, cluster: string): ClusterProfile => ({
  metadata: { name: cluster, namespace, labels: { [Label.InventoryManager]: manager, [Label.ClusterName]: cluster } },
  spec: { displayName: cluster, clusterManager: { name: manager } },
});

/** The labels that a profile must have; others are left alone. */
export function profileLabelChanges(profile: ClusterProfile, cluster: ManagedCluster): Record<string, string> {
  const wanted: Record<string, string> = {
    [Label.InventoryManager]: manager,
    [Label.ClusterName]: cluster.metadata?.name ?? '',
    [Label.InventoryClusterSet]: cluster.metadata?.labels?.[Label.ClusterSet] ?? '',
  };
  const present = profile.metadata?.labels ?? {};
  return Object.fromEntries(Object.entries(wanted).filter(([label, value]) => present[label] !== value));
}

const copied = [
  [ManagedClusterCondition.Available, ClusterProfileCondition.ControlPlaneHealthy],
  [ManagedClusterCondition.Joined, ClusterProfileCondition.Joined],
] as const;

/** What the status of a profile says about its cluster. */
export function profileStatus(profile: ClusterProfile, cluster: ManagedCluster, now: EpochMs): ClusterProfileStatus {
  const inputs = copied.flatMap(([from, type]) => {
    const condition = findCondition(cluster.status?.conditions, from);
    if (!condition) return [];
    const { status, reason, message } = condition;
    return [{ type, status, reason, message }];
  });
  const claims = cluster.status?.clusterClaims ?? [];
  const kubernetes = cluster.status?.version?.kubernetes;
  return {
    ...profile.status,
    conditions: [...setConditions(profile.status?.conditions, inputs, now)],
    properties: claims.flatMap(({ name, value }) => (name && value ? [{ name, value }] : [])),
    ...(kubernetes && { version: { kubernetes } }),
  };
}
