import { Annotation, type ManagedCluster, ManagedClusterCondition } from '@flotilla/api-types';
import { findCondition, isConditionTrue, isDeleting } from '@flotilla/kube';
import { type AcceptDecision, type HubDriver, isReservedClusterName } from '../../contract/index.ts';
import type { DuplicateIdentity, IdentityHolder } from '../identity/identity.policy.ts';
import { hasSharedRole } from './permissions.ts';

/** What the hub is to do about a cluster. */
export type AcceptanceDecision =
  /** It is being deleted: remove its permissions and objects. */
  | 'remove'
  /** Not decided: leave it alone. */
  | 'wait'
  /** Another cluster holds its identity: leave it alone whatever was decided. */
  | 'refuse-identity'
  /** Its name is that of a system namespace or of a role that all clusters share: say so on it, and give it nothing. */
  | 'refuse-name'
  /** No administrator needs to decide: say so on it. */
  | 'auto-accept'
  | 'accept'
  | 'deny';

type Accepting = Pick<HubDriver, 'accepts'>;

/** What the decision depends on besides the cluster. */
export interface AcceptanceFacts {
  readonly autoApproval: boolean;
  readonly drivers: readonly Accepting[];
  readonly duplicateIdentity: DuplicateIdentity;
  /** The accepted cluster with the identity of this one, if there is another. */
  readonly holder: IdentityHolder | undefined;
  /** Whether another cluster of this identity asked earlier and is about to be accepted without an administrator. */
  readonly isPreceded: boolean;
  /** Whether it was given a role. Its agent can take conditions off the cluster, and not that. */
  readonly hasRole: boolean;
}

/** Whether the auto-approval would accept a cluster of which it knows nothing else. It does so once in the life of a cluster. */
export const isAutoAcceptable = (cluster: ManagedCluster, drivers: readonly Accepting[]): boolean =>
  !isDeleting(cluster) &&
  cluster.metadata?.annotations?.[Annotation.AutomaticallyAcceptedOn] === undefined &&
  !isReservedClusterName(cluster.metadata?.name ?? '') &&
  isClaimed(drivers.map((driver) => driver.accepts(cluster)));

/** One driver accepts the cluster, and none refuses it. A cluster that no driver claims could not connect. */
const isClaimed = (decisions: readonly AcceptDecision[]): boolean =>
  decisions.includes('accept') && !decisions.includes('refuse');

/** Decides about a cluster by what an administrator wrote, what was done before, and the drivers. */
export function decide(cluster: ManagedCluster, facts: AcceptanceFacts): AcceptanceDecision {
  if (isDeleting(cluster)) return 'remove';
  const { autoApproval, drivers, duplicateIdentity, holder, isPreceded, hasRole } = facts;
  const conditions = cluster.status?.conditions;
  const isWanted = cluster.spec?.hubAcceptsClient === true;
  // A cluster that is accepted stays so, whatever turns out later: an administrator decides about it.
  const isIn = isConditionTrue(conditions, ManagedClusterCondition.HubAccepted);
  // Any earlier acceptance counts, also one that failed half-way: its roles are there.
  const isDenied =
    !isWanted && (hasRole || findCondition(conditions, ManagedClusterCondition.HubAccepted) !== undefined);
  const name = cluster.metadata?.name ?? '';
  // Its permissions would be those of all clusters, and to write its role would take theirs: never, whatever was done before.
  if (hasSharedRole(name)) return 'refuse-name';
  if (!isIn && isReservedClusterName(name)) return isDenied ? 'deny' : 'refuse-name';
  const isDuplicate = holder !== undefined && !isIn;
  if (autoApproval && !isDuplicate && (isWanted || !isPreceded) && isAutoAcceptable(cluster, drivers)) {
    return 'auto-accept';
  }
  if (isWanted) return isDuplicate && duplicateIdentity === 'refuse' ? 'refuse-identity' : 'accept';
  return isDenied ? 'deny' : 'wait';
}
