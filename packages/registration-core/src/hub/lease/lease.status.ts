import { EventReason, ManagedClusterCondition, ManagedClusterReason } from '@flotilla/api-types';
import type { ConditionInput, EventInput } from '@flotilla/kube';

/** The lease of the cluster was not renewed in time. Only its agent reports that it is available or not. */
export const unknown: ConditionInput = {
  type: ManagedClusterCondition.Available,
  status: 'Unknown',
  reason: ManagedClusterReason.Available.ManagedClusterLeaseUpdateStopped,
  message: 'Registration agent stopped updating its lease.',
};

/** The same for those who watch events. */
export const unknownEvent = (cluster: string): EventInput => ({
  type: 'Warning',
  reason: EventReason.AvailableUnknown,
  action: EventReason.AvailableUnknown,
  namespace: cluster,
  note: `The ${cluster} is successfully imported. However, the connection check from the managed cluster to the hub cluster has failed`,
});
