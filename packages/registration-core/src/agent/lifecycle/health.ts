import type { AgentState, BootstrapReason, Obstacle } from '../state/state.ts';

/** Whether an agent works, for the health endpoint. */
export type AgentHealth =
  | { readonly ready: true }
  | {
      readonly ready: false;
      readonly reason: BootstrapReason | Obstacle['reason'] | 'NoHub' | 'CredentialsFailed';
      readonly message: string;
    };

/** What else than its state makes an agent not ready. */
export interface HealthFacts {
  /** Why none of several hubs can be joined. */
  readonly whyNoHub?: string | undefined;
  /** Why the driver cannot make credentials. */
  readonly credentialsFailed?: string | undefined;
}

/** Not ready if the agent cannot work any more without help. */
export function healthOf(state: AgentState, { whyNoHub, credentialsFailed }: HealthFacts): AgentHealth {
  const whyStarting = state.phase === 'starting' ? (whyNoHub ?? state.left?.message) : undefined;
  if (whyStarting !== undefined) return { ready: false, reason: 'NoHub', message: whyStarting };
  if ('obstacle' in state && state.obstacle) return { ready: false, ...state.obstacle };
  const isLost = state.phase === 'bootstrapping' && state.reason !== 'NoCredentials' && !state.keepCredentials;
  if (isLost) return { ready: false, reason: state.reason, message: state.message };
  const isConnected = state.phase === 'joining' || state.phase === 'running';
  return isConnected && credentialsFailed !== undefined
    ? { ready: false, reason: 'CredentialsFailed', message: credentialsFailed }
    : { ready: true };
}
