import { Label, type ManagedCluster, ManagedClusterCondition } from '@flotilla/api-types';
import { findCondition, isDeleting } from '@flotilla/kube';
import type { EpochMs } from '@flotilla/kube/clock';
import type { CertificateSigningRequest } from '@flotilla/kube/kinds';
import { parseTime } from '@flotilla/kube/meta';
import type { JoinTokenRecord } from '../../contract/index.ts';

/** The set of clusters that nobody put into another. */
const defaultSet = 'default';

/** The uses of a token with those that are new: requests of its holder that got a certificate. Undefined if there are none. */
export function newUses(record: JoinTokenRecord, requests: readonly CertificateSigningRequest[]): string[] | undefined {
  const issued = requests
    .filter(({ status }) => Boolean(status?.certificate))
    .map(({ metadata }) => metadata?.uid ?? '')
    .filter((uid) => uid !== '' && !record.uses.includes(uid));
  return issued.length > 0 ? [...record.uses, ...issued.sort()] : undefined;
}

/** Why a token is to be revoked; undefined while it is good. */
export function endOf({ maxUses, uses, expiresAt }: JoinTokenRecord, now: EpochMs): string | undefined {
  if (maxUses !== undefined && uses.length >= maxUses) return `it was used ${uses.length} of ${maxUses} times`;
  return expiresAt !== undefined && expiresAt <= now ? 'it has expired' : undefined;
}

/** How long the holder of a token that is used up may still read its certificate: the agent may be cut off just then. */
export const collectMs = 10 * 60_000;

/** Whether the cluster of a token has joined since the last request of its holder was approved: nothing is left to read. */
export function isCollected(
  requests: readonly CertificateSigningRequest[],
  cluster: ManagedCluster | undefined,
): boolean {
  const joined = findCondition(cluster?.status?.conditions, ManagedClusterCondition.Joined);
  if (joined?.status !== 'True') return false;
  const approvals = requests
    .flatMap(({ status }) => status?.conditions ?? [])
    .filter(({ type }) => type === 'Approved');
  const since = parseTime(joined.lastTransitionTime) ?? 0;
  return approvals.every(({ lastUpdateTime }) => (parseTime(lastUpdateTime) ?? 0) <= since);
}

/**
 * Whether a cluster is to be put into the set of its token: once, and only one that was created after the token and that nobody has put
 * elsewhere. An administrator who moves it later is obeyed.
 */
export function isToPlace(
  { clusterSet, placed }: JoinTokenRecord,
  tokenCreated: string | undefined,
  cluster: ManagedCluster | undefined,
): cluster is ManagedCluster {
  if (!cluster || clusterSet === undefined || isDeleting(cluster)) return false;
  const { uid, labels, creationTimestamp } = cluster.metadata ?? {};
  if (placed === uid || (parseTime(creationTimestamp) ?? 0) < (parseTime(tokenCreated) ?? 0)) return false;
  return [undefined, '', defaultSet].includes(labels?.[Label.ClusterSet]);
}
