import { Label, type ManagedCluster, ManagedClusterCondition } from '@flotilla/api-types';
import { formatAge, formatTable } from '../output/table.ts';

const conditionOf = ({ status }: ManagedCluster, type: string) =>
  status?.conditions?.find((condition) => condition.type === type);

/** OCM's columns, and whether the cluster has come in. */
const headers = ['NAME', 'ACCEPTED', 'JOINED', 'AVAILABLE', 'CLUSTERSET', 'CPU', 'MEMORY', 'KUBERNETES VERSION'];

const rowOf = (cluster: ManagedCluster): string[] => [
  cluster.metadata?.name ?? '',
  String(cluster.spec?.hubAcceptsClient ?? false),
  conditionOf(cluster, ManagedClusterCondition.Joined)?.status ?? '',
  conditionOf(cluster, ManagedClusterCondition.Available)?.status ?? '',
  cluster.metadata?.labels?.[Label.ClusterSet] ?? '',
  String(cluster.status?.capacity?.cpu ?? ''),
  String(cluster.status?.capacity?.memory ?? ''),
  cluster.status?.version?.kubernetes ?? '',
];

/** Where a cluster is on its way in, in one sentence; empty if all is well. */
export function stageOf(cluster: ManagedCluster): string {
  const bad = cluster.status?.conditions?.find(({ type, status }) => problemWhen[type] === status);
  if (cluster.metadata?.deletionTimestamp) {
    return conditionOf(cluster, ManagedClusterCondition.Deleting)?.message ?? 'is being removed';
  }
  if (bad) return bad.message;
  if (!cluster.spec?.hubAcceptsClient) return 'waits to be accepted';
  if (!conditionOf(cluster, ManagedClusterCondition.Joined)) return 'accepted, has not come in yet';
  const available = conditionOf(cluster, ManagedClusterCondition.Available);
  return available?.status === 'True' ? '' : (available?.message ?? 'joined, has not reported yet');
}

/** Conditions of which a False is bad news. */
const problemWhen: Readonly<Record<string, string>> = {
  IdentityUnique: 'False',
  [ManagedClusterCondition.ClockSynced]: 'False',
  [ManagedClusterCondition.CertificateRotated]: 'False',
};

/** The table of `get clusters`. */
export function clusterTable(clusters: readonly ManagedCluster[], wide: boolean, now: number): string {
  const sorted = clusters.toSorted((a, b) => (a.metadata?.name ?? '').localeCompare(b.metadata?.name ?? ''));
  return wide
    ? formatTable(
        [...headers, 'AGE', 'MESSAGE'],
        sorted.map((cluster) => [
          ...rowOf(cluster),
          formatAge(cluster.metadata?.creationTimestamp, now),
          stageOf(cluster),
        ]),
      )
    : formatTable(headers, sorted.map(rowOf));
}
