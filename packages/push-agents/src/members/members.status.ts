import { ManagedClusterCondition, ManagedClusterReason } from '@flotilla/api-types';
import type { ConditionInput, KubeError } from '@flotilla/kube';

/** A pushed cluster cannot be reached because of what its Secret says, or because there is none. */
export const unreachable = ({ message, hint }: KubeError): ConditionInput => ({
  type: ManagedClusterCondition.Available,
  status: 'False',
  reason: ManagedClusterReason.Available.ManagedClusterKubeAPIServerUnavailable,
  message: hint ? `${message}. ${hint}` : message,
});
