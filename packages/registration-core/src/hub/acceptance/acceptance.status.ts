import { type ManagedCluster, ManagedClusterCondition, ManagedClusterReason } from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';
import { forcedRemovalAnnotation } from '../../contract/index.ts';

const type = ManagedClusterCondition.HubAccepted;
const reasons = ManagedClusterReason.HubAccepted;

/** Everything that belongs to an accepted cluster is made. */
export const accepted: ConditionInput = {
  type,
  status: 'True',
  reason: reasons.HubClusterAdminAccepted,
  message: 'Accepted by hub cluster admin',
};

/** The cluster was let in and is not any more. */
export const denied: ConditionInput = {
  type,
  status: 'False',
  reason: reasons.HubClusterAdminDenied,
  message: 'Denied by hub cluster admin',
};

/** The cluster is let in, but something of it could not be made. */
export const acceptFailed = (errors: readonly unknown[]): ConditionInput => ({
  type,
  status: 'False',
  reason: reasons.Error,
  message: messagesOf(errors),
});

/** Condition of a cluster that is being removed: what its finalizer for permissions waits for, since its transition. */
const permissionsRemovedType = 'PermissionsRemoved';

/** The work agent keeps its rights until it has removed what it applied. Says for which works, since when, and what to do without it. */
export const waitsForWorks = ({ metadata }: ManagedCluster, works: readonly string[]): ConditionInput => {
  const { name = '', deletionTimestamp = '' } = metadata;
  const shown = works.slice(0, 3).join(', ');
  // No count: it would be another write for each of a thousand works.
  const more = works.length > 3 ? ' and others' : '';
  return {
    type: permissionsRemovedType,
    status: 'False',
    reason: 'WorksRemaining',
    message: `Waits since ${deletionTimestamp} until the agent of the cluster has removed the ManifestWorks in namespace ${name}: ${shown}${more}. If the agent is gone for good, annotate the cluster with ${forcedRemovalAnnotation}=true.`,
  };
};

/** What a driver made for the cluster could not be removed yet. */
export const waitsForDriver = ({ metadata }: ManagedCluster, errors: readonly unknown[]): ConditionInput => ({
  type: permissionsRemovedType,
  status: 'False',
  reason: 'DriverCleanupFailed',
  message: `Tried since ${metadata.deletionTimestamp}: ${messagesOf(errors)}`,
});

/** The texts of errors in a stable order, one a line. */
export const messagesOf = (errors: readonly unknown[]): string =>
  errors
    .map((error) => (error instanceof Error ? error.message : String(error)))
    .sort()
    .join('\n');
