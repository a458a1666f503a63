import { type ManagedCluster, ManagedClusterCondition, ReservedClaim } from '@flotilla/api-types';
import { isConditionTrue, type Store } from '@flotilla/kube';
import { clusterIdentityAnnotation, sharedIdentityAnnotation } from '../../contract/index.ts';

const byIdentity = 'identity';

/** What a cluster says it is: the uid of its kube-system, and its claim `id.k8s.io` once it reports claims. */
export function identitiesOf({ metadata, status }: ManagedCluster): readonly string[] {
  const uid = metadata?.annotations?.[clusterIdentityAnnotation];
  const claim = status?.clusterClaims?.find(({ name }) => name === ReservedClaim.Id)?.value;
  return [...(uid ? [`kube-system uid ${uid}`] : []), ...(claim ? [`${ReservedClaim.Id} ${claim}`] : [])];
}

/** Finds clusters by identity. */
export const identityIndex = { [byIdentity]: identitiesOf };

/** Who has an identity, and which. */
export interface IdentityHolder {
  readonly name: string;
  readonly identity: string;
}

const isAccepted = ({ status }: ManagedCluster): boolean =>
  isConditionTrue(status?.conditions, ManagedClusterCondition.HubAccepted);

/** Whoever was let in first, then whoever asked first: a newcomer never takes an identity away. */
const seniority = (a: ManagedCluster, b: ManagedCluster): number =>
  Number(isAccepted(b)) - Number(isAccepted(a)) ||
  compare(a.metadata?.creationTimestamp ?? '', b.metadata?.creationTimestamp ?? '') ||
  compare(a.metadata?.name ?? '', b.metadata?.name ?? '');

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);

/** The other cluster that holds an identity of this one; undefined if this one is alone, the senior, or allowed to share. */
export function holderOf(clusters: Store<ManagedCluster>, cluster: ManagedCluster): IdentityHolder | undefined {
  if (cluster.metadata?.annotations?.[sharedIdentityAnnotation] === 'true') return undefined;
  for (const identity of identitiesOf(cluster)) {
    const others = clusters
      .byIndex(byIdentity, identity)
      .filter((other) => other.metadata?.name !== cluster.metadata?.name);
    const senior = others.sort(seniority).find((other) => seniority(other, cluster) < 0);
    if (senior) return { name: senior.metadata?.name ?? '', identity };
  }
  return undefined;
}

/** Names of all clusters with an identity of this one, itself included: the keys to wake when it changes. */
export const sharersOf =
  (clusters: Store<ManagedCluster>) =>
  (cluster: ManagedCluster): string[] => [
    cluster.metadata?.name ?? '',
    ...identitiesOf(cluster).flatMap((identity) =>
      clusters.byIndex(byIdentity, identity).map(({ metadata }) => metadata?.name ?? ''),
    ),
  ];
