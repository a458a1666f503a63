import { type ManagedCluster, ManagedClusterCondition, ManagedClusterReason } from '@flotilla/api-types';
import { type ConditionInput, findCondition } from '@flotilla/kube';
import {
  clusterNameCondition,
  declaredAuthType,
  forcedRemovalAnnotation,
  reservedNameError,
  reservedNameHint,
} from '../../contract/index.ts';
import type { AcceptedDrivers } from './accepted-drivers.policy.ts';

const type = ManagedClusterCondition.HubAccepted;
const reasons = ManagedClusterReason.HubAccepted;

/** All objects of an accepted cluster are created. */
export const accepted: ConditionInput = {
  type,
  status: 'True',
  reason: reasons.HubClusterAdminAccepted,
  message: 'Accepted by hub cluster admin',
};

/** The cluster was accepted and is not any more. */
export const denied: ConditionInput = {
  type,
  status: 'False',
  reason: reasons.HubClusterAdminDenied,
  message: 'Denied by hub cluster admin',
};

/** The cluster is accepted, but something of it could not be created. */
export const acceptFailed = (errors: readonly unknown[]): ConditionInput => ({
  type,
  status: 'False',
  reason: reasons.Error,
  message: messagesOf(errors),
});

/** Condition of a ManagedCluster that declares another auth type than it was accepted by, or has several. Written only once that has happened. */
const authTypeAcceptedType = 'RegistrationAuthAccepted';

/** Whether the cluster was accepted by the auth type that it declares. */
export function authTypeConditions(cluster: ManagedCluster, { refused, several }: AcceptedDrivers): ConditionInput[] {
  const { metadata, status } = cluster;
  const type = authTypeAcceptedType;
  const accept = 'To accept only what it declares now, set spec.hubAcceptsClient to false and to true again.';
  if (refused) {
    const { declared, accepted: record } = refused;
    const message =
      `ManagedCluster "${metadata?.name}" was accepted to register by ${record} and now declares ${declared}, which has no effect. ` +
      accept;
    return [{ type, status: 'False', reason: 'ChangedSinceAcceptance', message }];
  }
  if (several) {
    const declares = declaredAuthType(cluster) ?? 'no auth type';
    const message = `ManagedCluster "${metadata?.name}" can register by each of ${several.join(', ')} and declares ${declares}. ${accept}`;
    return [{ type, status: 'False', reason: 'SeveralAuthTypes', message }];
  }
  if (!findCondition(status?.conditions, type)) return [];
  return [
    { type, status: 'True', reason: 'Accepted', message: 'The cluster was accepted by the auth type that it declares' },
  ];
}

/** The cluster has the name of a system namespace, and is not accepted under it. */
export const nameRefused = (name: string): ConditionInput => ({
  type: clusterNameCondition.type,
  status: 'False',
  reason: clusterNameCondition.reserved,
  message: `${reservedNameError(name)}. ${reservedNameHint}`,
});

/** Condition of a cluster that is being removed: what its finalizer for permissions waits for, since its transition. */
const permissionsRemovedType = 'PermissionsRemoved';

/**
 * Works are left. The agent of a deleted cluster may finish them; that of a denied one lost that right, so that only force helps.
 * Names the works, the time and what to do.
 */
export const waitsForWorks = (
  { metadata }: ManagedCluster,
  works: readonly string[],
  mayFinishWorks: boolean,
): ConditionInput => {
  const { name = '', deletionTimestamp = '' } = metadata;
  const shown = works.slice(0, 3).join(', ');
  // No count: it would be another write for each of a thousand works.
  const more = works.length > 3 ? ' and others' : '';
  const left = `the ManifestWorks in namespace ${name}: ${shown}${more}.`;
  const force = `annotate the cluster with ${forcedRemovalAnnotation}=true.`;
  return {
    type: permissionsRemovedType,
    status: 'False',
    reason: 'WorksRemaining',
    message: mayFinishWorks
      ? `Waits since ${deletionTimestamp} until the agent of the cluster has removed ${left} If the agent is gone for good, ${force}`
      : `Waits since ${deletionTimestamp} for ${left} The cluster is denied, so its agent cannot remove them. To remove them without it, ${force}`,
  };
};

/** The texts of errors in a stable order, one a line. */
export const messagesOf = (errors: readonly unknown[]): string =>
  errors
    .map((error) => (error instanceof Error ? error.message : String(error)))
    .sort()
    .join('\n');
