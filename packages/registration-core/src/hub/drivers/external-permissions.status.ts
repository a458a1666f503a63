import type { ManagedCluster } from '@flotilla/api-types';
import { type ConditionInput, isDeleting } from '@flotilla/kube';
import { forcedRemovalAnnotation } from '../../contract/index.ts';

/** Condition of a ManagedCluster: whether what its driver makes outside of the hub is there. Each driver has its own. */
const externalPermissionsCondition = (authType: string): string => `${authType}/PermissionsReady`;

/** All of it is there. */
export const ready = (authType: string): ConditionInput => ({
  type: externalPermissionsCondition(authType),
  status: 'True',
  reason: 'PermissionsReady',
  message: `What ${authType} needs outside of the hub is there`,
});

/** Something outside of the hub has yet to happen. */
export const waiting = (authType: string, why: string): ConditionInput => ({
  type: externalPermissionsCondition(authType),
  status: 'False',
  reason: 'Waiting',
  message: why,
});

/** The driver failed, and tries again. */
export const failed = (authType: string, error: unknown): ConditionInput => ({
  type: externalPermissionsCondition(authType),
  status: 'False',
  reason: 'Failed',
  message: error instanceof Error ? error.message : String(error),
});

/** All of it is removed. */
export const removed = (authType: string): ConditionInput => ({
  type: externalPermissionsCondition(authType),
  status: 'False',
  reason: 'PermissionsRemoved',
  message: `What ${authType} made outside of the hub is removed`,
});

/** The driver made something for the cluster, and does not run on this hub, which cannot remove it. */
export function driverDisabled(cluster: ManagedCluster, authType: string): ConditionInput {
  const enable = `add ${authType} to --enabled-registration-drivers of the hub`;
  const { name } = cluster.metadata;
  return {
    type: externalPermissionsCondition(authType),
    status: 'False',
    reason: 'DriverDisabled',
    message: isDeleting(cluster)
      ? `ManagedCluster "${name}" cannot be removed: what ${authType} made for it outside of the hub is left, and this hub does not run that driver. To remove it, ${enable}. To leave it there, annotate the cluster with ${forcedRemovalAnnotation}=true.`
      : `This hub does not run the driver ${authType}, which made something outside of the hub for ManagedCluster "${name}". To keep it checked and to have it removed with the cluster, ${enable}.`,
  };
}
