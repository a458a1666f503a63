import type { ManagedCluster } from '@flotilla/api-types';
import { type ConditionInput, findCondition } from '@flotilla/kube';
import { identityUniqueCondition as condition, sharedIdentityAnnotation } from '../../contract/index.ts';
import type { IdentityHolder } from './identity.policy.ts';

/** What to say about the identity of a cluster; nothing while nothing was ever wrong with it. */
export function identityStatus(cluster: ManagedCluster, holder: IdentityHolder | undefined): readonly ConditionInput[] {
  const { type } = condition;
  if (holder) {
    const message =
      `ManagedCluster "${holder.name}" holds this identity (${holder.identity}): one cluster cannot join under two names. ` +
      `Remove "${holder.name}", or set annotation ${sharedIdentityAnnotation}=true here if both are meant to be.`;
    return [{ type, status: 'False', reason: condition.duplicate, message }];
  }
  if (!findCondition(cluster.status?.conditions, type)) return [];
  return [{ type, status: 'True', reason: condition.unique, message: 'No other ManagedCluster holds this identity.' }];
}
