/** Why an agent asks the hub for credentials. */
export type BootstrapReason =
  | 'NoCredentials'
  | 'BootstrapChanged'
  | 'SecretDeleted'
  | 'Expired'
  | 'Unauthorized'
  | 'Forbidden';

/**
 * Where an agent is. `connection` counts the connections to the hub: what belongs to one ends when the number changes.
 * - starting: reads what is stored, and chooses among several hubs; `left` is one that it has just moved away from.
 * - bootstrapping: asks with the bootstrap credentials. `keepCredentials`: only the ManagedCluster is looked after.
 * - joining: has credentials, and waits for the hub's administrator.
 * - running: accepted.
 */
export type AgentState =
  | {
      readonly phase: 'starting';
      readonly connection: number;
      readonly left?: { readonly server: string; readonly message: string };
    }
  | {
      readonly phase: 'bootstrapping';
      readonly connection: number;
      readonly reason: BootstrapReason;
      readonly message: string;
      readonly keepCredentials: boolean;
    }
  | { readonly phase: 'joining'; readonly connection: number }
  | { readonly phase: 'running'; readonly connection: number }
  | { readonly phase: 'stopped'; readonly connection: number };

/** What happens to an agent. */
export type AgentEvent =
  | { readonly type: 'credentialsUsable' }
  | { readonly type: 'credentialsUnusable'; readonly reason: BootstrapReason; readonly message: string }
  | { readonly type: 'accepted' }
  | { readonly type: 'notAccepted' }
  | { readonly type: 'bootstrapChanged'; readonly message: string }
  | { readonly type: 'secretDeleted' }
  | { readonly type: 'expired'; readonly message: string }
  | { readonly type: 'unauthorized'; readonly message: string }
  | { readonly type: 'forbidden'; readonly message: string }
  /** The bootstrap access leads to an address that the hub had announced: the same hub, and the same credentials. */
  | { readonly type: 'hubMoved'; readonly message: string }
  /** With several hubs: this one sent the cluster away, or is gone. */
  | { readonly type: 'hubLost'; readonly server: string; readonly message: string }
  | { readonly type: 'stop' };

/** Where an agent begins. */
export const initialState: AgentState = { phase: 'starting', connection: 0 };

/** Where an event leads. Pure, and total: an event that means nothing in a state leaves it as it is. */
export function transition(state: AgentState, event: AgentEvent): AgentState {
  if (state.phase === 'stopped') return state;
  const connection = state.connection + 1;
  const bootstrap = (reason: BootstrapReason, message: string, keepCredentials = false): AgentState => ({
    phase: 'bootstrapping',
    connection,
    reason,
    message,
    keepCredentials,
  });
  const isConnected = state.phase === 'joining' || state.phase === 'running';
  switch (event.type) {
    case 'stop':
      return { phase: 'stopped', connection };
    case 'credentialsUsable':
      return isConnected ? state : { phase: 'joining', connection };
    case 'credentialsUnusable':
      return state.phase === 'starting' ? bootstrap(event.reason, event.message) : state;
    case 'accepted':
      return state.phase === 'joining' ? { ...state, phase: 'running' } : state;
    case 'notAccepted':
      return state.phase === 'running' ? { ...state, phase: 'joining' } : state;
    case 'bootstrapChanged':
      // While bootstrapping, a new address is a new conversation too.
      return state.phase === 'starting' ? state : bootstrap('BootstrapChanged', event.message);
    case 'hubMoved':
      return isConnected ? { phase: 'joining', connection } : state;
    case 'hubLost':
      if (state.phase === 'starting') return state;
      return { phase: 'starting', connection, left: { server: event.server, message: event.message } };
    case 'secretDeleted':
      return isConnected ? bootstrap('SecretDeleted', 'the secret with the hub credentials was deleted') : state;
    case 'expired':
      return isConnected ? bootstrap('Expired', event.message) : state;
    case 'unauthorized':
      return isConnected ? bootstrap('Unauthorized', event.message) : state;
    case 'forbidden':
      // New credentials would name the same user, so those at hand are kept; the ManagedCluster may be what is missing.
      return isConnected ? bootstrap('Forbidden', event.message, true) : state;
  }
}
