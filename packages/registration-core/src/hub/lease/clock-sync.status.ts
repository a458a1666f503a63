import { ManagedClusterCondition, ManagedClusterReason } from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';

const type = ManagedClusterCondition.ClockSynced;
const reasons = ManagedClusterReason.ClockSynced;

/** What the last heartbeat says about the clock of the cluster. */
export const clockStatus = (synced: boolean): ConditionInput =>
  synced
    ? {
        type,
        status: 'True',
        reason: reasons.ManagedClusterClockSynced,
        message: 'The clock of the managed cluster is synced with the hub.',
      }
    : {
        type,
        status: 'False',
        reason: reasons.ManagedClusterClockOutOfSync,
        message:
          'The clock of hub and agent is out of sync. This may cause the Unknown status and affect agent functionalities.',
      };
