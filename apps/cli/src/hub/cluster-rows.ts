import { Label, type ManagedCluster, ManagedClusterCondition, ManagedClusterReason } from '@flotilla/api-types';
import { clusterNameCondition } from '@flotilla/registration-core/contract';
import { clusterModeOf } from '@flotilla/registration-core/push';
import { formatAge, formatTable } from '../output/table.ts';
import { formatTree } from '../output/tree.ts';

const conditionOf = ({ status }: ManagedCluster, type: string) =>
  status?.conditions?.find((condition) => condition.type === type);

/** OCM's columns, and who reaches whom. */
const headers = [
  'NAME',
  'ACCEPTED',
  'JOINED',
  'AVAILABLE',
  'CLUSTERSET',
  'CPU',
  'MEMORY',
  'KUBERNETES VERSION',
  'MODE',
];

const rowOf = (cluster: ManagedCluster): string[] => [
  cluster.metadata?.name ?? '',
  String(cluster.spec?.hubAcceptsClient ?? false),
  conditionOf(cluster, ManagedClusterCondition.Joined)?.status ?? '',
  conditionOf(cluster, ManagedClusterCondition.Available)?.status ?? '',
  cluster.metadata?.labels?.[Label.ClusterSet] ?? '',
  String(cluster.status?.capacity?.cpu ?? ''),
  String(cluster.status?.capacity?.memory ?? ''),
  cluster.status?.version?.kubernetes ?? '',
  clusterModeOf(cluster),
];

/** What keeps a cluster from being Available, in one sentence, and the command for it; empty if it is Available. */
export function stageOf(cluster: ManagedCluster): string {
  const bad = cluster.status?.conditions?.find(({ type, status }) => badStatus[type] === status);
  if (cluster.metadata?.deletionTimestamp) {
    return conditionOf(cluster, ManagedClusterCondition.Deleting)?.message ?? 'is being removed';
  }
  if (bad) return bad.message;
  if (!cluster.spec?.hubAcceptsClient)
    return `${acceptanceOf(cluster)}: flotilla accept --clusters ${cluster.metadata?.name}`;
  if (!conditionOf(cluster, ManagedClusterCondition.Joined)) return 'accepted, has not joined yet';
  const available = conditionOf(cluster, ManagedClusterCondition.Available);
  return available?.status === 'True' ? '' : (available?.message ?? 'joined, has not reported yet');
}

/** Of a cluster that is not accepted. */
const acceptanceOf = (cluster: ManagedCluster): string =>
  conditionOf(cluster, ManagedClusterCondition.HubAccepted)?.reason ===
  ManagedClusterReason.HubAccepted.HubClusterAdminDenied
    ? 'denied by an administrator of the hub; to accept it again'
    : 'waits to be accepted';

/** Conditions of which a False is bad news. */
const badStatus: Readonly<Record<string, string>> = {
  IdentityUnique: 'False',
  [clusterNameCondition.type]: 'False',
  [ManagedClusterCondition.ClockSynced]: 'False',
  [ManagedClusterCondition.CertificateRotated]: 'False',
};

/** The table of `get clusters`. Why a cluster is not Available is shown where there is one. */
export function clusterTable(
  clusters: readonly ManagedCluster[],
  wide: boolean,
  now: number,
  heartbeats: ReadonlyMap<string, string> = new Map(),
): string {
  const sorted = clusters.toSorted((a, b) => (a.metadata?.name ?? '').localeCompare(b.metadata?.name ?? ''));
  const messages = sorted.map(stageOf);
  const hasMessage = wide || messages.some((message) => message !== '');
  return formatTable(
    [...headers, ...(wide ? ['AGE', 'LAST HEARTBEAT'] : []), ...(hasMessage ? ['MESSAGE'] : [])],
    sorted.map((cluster, index) => [
      ...rowOf(cluster),
      ...(wide
        ? [
            formatAge(cluster.metadata?.creationTimestamp, now),
            formatAge(heartbeats.get(cluster.metadata?.name ?? '') || undefined, now),
          ]
        : []),
      messages[index] ?? '',
    ]),
  );
}

/** The tree of `get clusters -o tree`, with the fields of clusteradm. */
export const clusterTree = (clusters: readonly ManagedCluster[]): string =>
  formatTree(
    '<ManagedCluster>',
    clusters.map((cluster) => {
      const [text = '', accepted, , available, clusterSet, cpu, memory, version] = rowOf(cluster);
      const capacity = [{ text: `Cpu  ${cpu}` }, { text: `Memory  ${memory}` }];
      return {
        text,
        below: [
          { text: `Accepted  ${accepted}` },
          { text: `Available  ${available || 'Unknown'}` },
          { text: `ClusterSet  ${clusterSet}` },
          { text: `KubernetesVersion  ${version}` },
          { text: 'Capacity', below: capacity },
        ],
      };
    }),
  );
