import type { AgentState, BootstrapReason, Obstacle } from '../state/state.ts';

/** Whether an agent works, for the health endpoint. */
export type AgentHealth =
  | { readonly ready: true }
  | {
      readonly ready: false;
      readonly reason: BootstrapReason | Obstacle['reason'] | 'NoHub' | 'CredentialsFailed' | 'RegistrationFailed';
      readonly message: string;
    };

/** What else than its state makes an agent not ready. */
export interface HealthFacts {
  /** Why none of several hubs can be joined. */
  readonly whyNoHub?: string | undefined;
  /** Why the driver cannot make credentials, or why those that it got cannot be used. */
  readonly credentialsFailed?: string | undefined;
  /** Why a cluster that the hub forbids all requests cannot even ask to be accepted. */
  readonly registrationFailed?: string | undefined;
}

/** Not ready if the agent cannot work any more without help. */
export function healthOf(state: AgentState, facts: HealthFacts): AgentHealth {
  const { whyNoHub, credentialsFailed, registrationFailed } = facts;
  const whyStarting = state.phase === 'starting' ? (whyNoHub ?? state.left?.message) : undefined;
  if (whyStarting !== undefined) return { ready: false, reason: 'NoHub', message: whyStarting };
  if ('obstacle' in state && state.obstacle) return { ready: false, ...state.obstacle };
  const isBootstrapping = state.phase === 'bootstrapping';
  const isLost = isBootstrapping && state.reason !== 'NoCredentials' && !state.keepCredentials;
  if (isLost) return { ready: false, reason: state.reason, message: credentialsFailed ?? state.message };
  if (isBootstrapping && state.keepCredentials && registrationFailed !== undefined) {
    return { ready: false, reason: 'RegistrationFailed', message: `${state.message}; ${registrationFailed}` };
  }
  const isWorking = isBootstrapping || state.phase === 'joining' || state.phase === 'running';
  return isWorking && credentialsFailed !== undefined
    ? { ready: false, reason: 'CredentialsFailed', message: credentialsFailed }
    : { ready: true };
}
