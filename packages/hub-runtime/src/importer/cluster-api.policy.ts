import { Annotation, type ManagedCluster } from '@flotilla/api-types';
import type { KubeObject, ResourceType } from '@flotilla/schema';

/** A cluster that Cluster API makes. */
export interface ClusterApiCluster extends KubeObject {
  status?: { phase?: string };
}

const group = 'cluster.x-k8s.io';

/** The kind in the newest of the versions that a server has and this importer knows; the oldest where Cluster API is not installed yet. */
export function clusterApiClusters(served: readonly ResourceType[]): ResourceType<ClusterApiCluster> {
  const versions = served
    .filter((one) => one.group === group && one.plural === 'clusters')
    .map(({ version }) => version);
  const version = ['v1beta2', 'v1beta1'].find((known) => versions.includes(known)) ?? 'v1beta1';
  return { group, version, kind: 'Cluster', plural: 'clusters', namespaced: true };
}

/** `namespace/name` of the Cluster API object behind a ManagedCluster: what its annotation names, or its own name twice. */
export function clusterApiKey({ metadata }: ManagedCluster): string {
  const { name = '', annotations } = metadata ?? {};
  return annotations?.[Annotation.ClusterApiCluster] || `${name}/${name}`;
}

/** Whether there is an API server to install on. */
export const isProvisioned = ({ status }: ClusterApiCluster): boolean => status?.phase === 'Provisioned';
