import type { ManagedCluster } from '@flotilla/api-types';
import { type ConditionInput, findCondition } from '@flotilla/kube';
import { identityUniqueCondition as condition, sharedIdentityAnnotation } from '../../contract/index.ts';
import type { DuplicateIdentity, IdentityHolder } from './identity.policy.ts';

/** What to say about the identity of a cluster; nothing while nothing was ever wrong with it. */
export function identityStatus(
  cluster: ManagedCluster,
  holder: IdentityHolder | undefined,
  policy: DuplicateIdentity,
): readonly ConditionInput[] {
  const { type } = condition;
  if (holder) {
    const message =
      `ManagedCluster "${holder.name}" holds this identity (${holder.identity}): this is the same cluster under a second name. ` +
      `${consequence(cluster, policy)} Remove "${holder.name}" if it was a mistake; ${howToAllow(cluster, policy)}`;
    return [{ type, status: 'False', reason: condition.duplicate, message }];
  }
  if (!findCondition(cluster.status?.conditions, type)) return [];
  return [{ type, status: 'True', reason: condition.unique, message: 'No other ManagedCluster holds this identity.' }];
}

function consequence({ spec }: ManagedCluster, policy: DuplicateIdentity): string {
  if (policy === 'refuse') return 'It is not accepted.';
  return spec?.hubAcceptsClient
    ? 'It is accepted because an administrator said so.'
    : 'It is not accepted automatically.';
}

function howToAllow({ metadata, spec }: ManagedCluster, policy: DuplicateIdentity): string {
  const annotate = `set annotation ${sharedIdentityAnnotation}=true here`;
  if (policy === 'refuse')
    return `if both names are meant, ${annotate}, or run the hub with --duplicate-identity=warn.`;
  if (spec?.hubAcceptsClient) return `if both names are meant, ${annotate} to clear this condition.`;
  return `if both names are meant, accept this one too: set spec.hubAcceptsClient of ManagedCluster "${metadata.name}" to true.`;
}
