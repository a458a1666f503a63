import { KlusterletCondition, KlusterletReason } from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';
import type { Deployment } from '@flotilla/kube/kinds';

/** The Deployment of an agent, if it is there. */
export interface AgentState {
  /** `namespace/name` */
  readonly key: string;
  readonly deployment: Deployment | undefined;
}

const { Available, RegistrationDesiredDegraded, WorkDesiredDegraded } = KlusterletCondition;

/** Whether each agent has a pod that works. */
export function available(agents: readonly AgentState[]): ConditionInput {
  const type = Available;
  const reasons = KlusterletReason.Available;
  const missing = agents.filter(({ deployment }) => !deployment);
  if (missing.length > 0) {
    const message = `Failed to get deployments: ${missing.map(({ key }) => key).join(', ')}`;
    return { type, status: 'False', reason: reasons.GetDeploymentFailed, message };
  }
  const without = agents.filter(({ deployment }) => (deployment?.status?.availableReplicas ?? 0) <= 0);
  if (without.length > 0) {
    const message = `${without.map(({ key }) => key).join(', ')} deployments have no available pods`;
    return { type, status: 'False', reason: reasons.NoAvailablePods, message };
  }
  const message = `deployments are ready: ${agents.map(({ key }) => key).join(',')}`;
  return { type, status: 'True', reason: reasons.KlusterletAvailable, message };
}

/** Whether an agent has fewer pods than it should. One that shall have none is not degraded. */
export function desiredDegraded(component: 'registration' | 'work', { key, deployment }: AgentState): ConditionInput {
  const type = component === 'registration' ? RegistrationDesiredDegraded : WorkDesiredDegraded;
  const reasons = KlusterletReason.RegistrationDesiredDegraded;
  if (!deployment) {
    return { type, status: 'True', reason: reasons.GetDeploymentFailed, message: `Failed to get deployment ${key}` };
  }
  const desired = deployment.spec?.replicas ?? 1;
  const unavailable = desired - (deployment.status?.availableReplicas ?? 0);
  if (unavailable > 0) {
    const message = `${unavailable} of requested instances are unavailable of deployment ${key}`;
    return { type, status: 'True', reason: reasons.UnavailablePods, message };
  }
  return {
    type,
    status: 'False',
    reason: reasons.DeploymentsFunctional,
    message: `deployments replicas are desired: ${desired}`,
  };
}
