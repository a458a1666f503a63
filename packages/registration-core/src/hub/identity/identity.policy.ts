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

/** What the hub does about a second name of one cluster. */
export const duplicateIdentityPolicies = ['refuse', 'warn', 'allow'] as const;

/**
 * `refuse`: the second name is never accepted. `warn`: it is not accepted automatically, and an administrator who accepts it is obeyed.
 * `allow`: identities are not compared.
 */
export type DuplicateIdentity = (typeof duplicateIdentityPolicies)[number];

/** Who has an identity, and which. */
export interface IdentityHolder {
  readonly name: string;
  readonly identity: string;
}

/** Only a cluster that was accepted holds its identity: any holder of a bootstrap token can create one that is not accepted. */
const isWanted = ({ spec }: ManagedCluster): boolean => spec?.hubAcceptsClient === true;

const isIn = ({ status }: ManagedCluster): boolean =>
  isConditionTrue(status?.conditions, ManagedClusterCondition.HubAccepted);

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);

const byAge = (a: ManagedCluster, b: ManagedCluster): number =>
  compare(a.metadata?.creationTimestamp ?? '', b.metadata?.creationTimestamp ?? '') ||
  compare(a.metadata?.name ?? '', b.metadata?.name ?? '');

/** Accepted clusters first, then those whose acceptance is under way, then the pending ones; the older first. */
const bySeniority = (a: ManagedCluster, b: ManagedCluster): number =>
  Number(isWanted(b)) - Number(isWanted(a)) || Number(isIn(b)) - Number(isIn(a)) || byAge(a, b);

const mayShare = ({ metadata }: ManagedCluster): boolean =>
  metadata?.annotations?.[sharedIdentityAnnotation] === 'true';

const othersWith = (clusters: Store<ManagedCluster>, cluster: ManagedCluster, identity: string): ManagedCluster[] =>
  clusters.byIndex(byIdentity, identity).filter(({ metadata }) => metadata?.name !== cluster.metadata?.name);

/** The other cluster that holds an identity of this one; undefined if this one is alone, the senior, or allowed to share. */
export function holderOf(clusters: Store<ManagedCluster>, cluster: ManagedCluster): IdentityHolder | undefined {
  if (mayShare(cluster)) return undefined;
  for (const identity of identitiesOf(cluster)) {
    const [senior] = othersWith(clusters, cluster, identity).filter(isWanted).sort(bySeniority);
    if (senior && bySeniority(senior, cluster) < 0) return { name: senior.metadata?.name ?? '', identity };
  }
  return undefined;
}

/** Whether a pending cluster of the same identity asked before this one, and `isApplicant`. */
export const isPreceded = (
  clusters: Store<ManagedCluster>,
  cluster: ManagedCluster,
  isApplicant: (other: ManagedCluster) => boolean,
): boolean =>
  !mayShare(cluster) &&
  identitiesOf(cluster).some((identity) =>
    othersWith(clusters, cluster, identity).some(
      (other) => !isWanted(other) && byAge(other, cluster) < 0 && isApplicant(other),
    ),
  );

/** Names of all clusters with an identity of this one, itself included: the keys to wake when it changes. */
export const sharersOf =
  (clusters: Store<ManagedCluster>) =>
  (cluster: ManagedCluster): string[] => [
    cluster.metadata?.name ?? '',
    ...identitiesOf(cluster).flatMap((identity) =>
      clusters.byIndex(byIdentity, identity).map(({ metadata }) => metadata?.name ?? ''),
    ),
  ];
