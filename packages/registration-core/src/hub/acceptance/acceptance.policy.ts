import { Annotation, type ManagedCluster, ManagedClusterCondition } from '@flotilla/api-types';
import { findCondition, isConditionTrue, isDeleting } from '@flotilla/kube';
import type { HubDriver } from '../../contract/index.ts';
import type { IdentityHolder } from '../identity/identity.policy.ts';

/** What the hub is to do about a cluster. */
export type AcceptanceDecision =
  /** It is being deleted: take everything away. */
  | 'remove'
  /** Nobody decided: leave it alone. */
  | 'wait'
  /** Another cluster holds its identity: leave it alone whatever was decided. */
  | 'refuse'
  /** No administrator needs to decide: say so on it. */
  | 'auto-accept'
  | 'accept'
  | 'deny';

/** What the decision depends on besides the cluster. */
export interface AcceptanceFacts {
  readonly autoApproval: boolean;
  readonly drivers: readonly Pick<HubDriver, 'accepts'>[];
  readonly holder: IdentityHolder | undefined;
  /** Whether it was given a role. Its agent can take conditions off the cluster, and not that. */
  readonly hasRole: boolean;
}

/** Decides about a cluster by what an administrator wrote, what was done before, and the drivers. */
export function decide(
  cluster: ManagedCluster,
  { autoApproval, drivers, holder, hasRole }: AcceptanceFacts,
): AcceptanceDecision {
  if (isDeleting(cluster)) return 'remove';
  const conditions = cluster.status?.conditions;
  // One that is in stays in: it is flagged, and an administrator decides which of the two goes.
  const refused = holder !== undefined && !isConditionTrue(conditions, ManagedClusterCondition.HubAccepted);
  const asked = cluster.metadata?.annotations?.[Annotation.AutomaticallyAcceptedOn] !== undefined;
  if (autoApproval && !asked && !refused && drivers.every((driver) => driver.accepts(cluster))) return 'auto-accept';
  if (cluster.spec?.hubAcceptsClient) return refused ? 'refuse' : 'accept';
  // Any earlier acceptance counts, also one that failed half-way: its roles are there.
  return hasRole || findCondition(conditions, ManagedClusterCondition.HubAccepted) ? 'deny' : 'wait';
}
