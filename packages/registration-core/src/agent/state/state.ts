/** Why an agent asks the hub for credentials. */
export type BootstrapReason =
  | 'NoCredentials'
  | 'BootstrapChanged'
  | 'SecretDeleted'
  | 'Expired'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NameTaken';

/** What an administrator has to fix before the cluster can be on the hub. */
export interface Obstacle {
  readonly reason: 'NameTaken' | 'Removed';
  readonly message: string;
}

/**
 * Where an agent is. `connection` counts the connections to the hub: what belongs to one ends when the number changes.
 * - starting: reads what is stored, and chooses among several hubs; `left` is one that it has just left.
 * - bootstrapping: asks with the bootstrap credentials. `keepCredentials`: only the ManagedCluster is maintained.
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
      readonly obstacle?: Obstacle | undefined;
    }
  | { readonly phase: 'joining'; readonly connection: number; readonly obstacle?: Obstacle }
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
  | { readonly type: 'endpointChanged'; readonly message: string }
  /** With several hubs: this one sent the cluster away, or is gone. */
  | { readonly type: 'hubLost'; readonly server: string; readonly message: string }
  /** With several hubs: the chosen one may be another than that of the stored credentials. */
  | { readonly type: 'choiceOutdated'; readonly message: string }
  | { readonly type: 'obstacleFound'; readonly obstacle: Obstacle }
  | { readonly type: 'obstacleGone' }
  /** There are new bootstrap credentials, or the join record was deleted. */
  | { readonly type: 'rejoinRequested' }
  | { readonly type: 'stop' };

/** Where an agent begins. */
export const initialState: AgentState = { phase: 'starting', connection: 0 };

/**
 * Whether the agent has turned away from the hub that it was on. Credentials that ended or were refused are of the same hub; what is
 * under a name that another cluster has there is not for this one.
 */
export const leavesHub = (state: AgentState): boolean =>
  state.phase === 'stopped' ||
  state.phase === 'starting' ||
  (state.phase === 'bootstrapping' && (state.reason === 'BootstrapChanged' || state.reason === 'NameTaken'));

/** Where an event leads. Pure, and total: an event that means nothing in a state leaves it as it is. */
export function transition(state: AgentState, event: AgentEvent): AgentState {
  if (state.phase === 'stopped') return state;
  const connection = state.connection + 1;
  const bootstrap = (reason: BootstrapReason, message: string, keepCredentials = false) => ({
    phase: 'bootstrapping' as const,
    connection,
    reason,
    message,
    keepCredentials,
  });
  const isConnected = state.phase === 'joining' || state.phase === 'running';
  /** That the cluster was removed stays true until it is accepted, whatever the agent tries meanwhile. */
  const removal = 'obstacle' in state && state.obstacle?.reason === 'Removed' ? { obstacle: state.obstacle } : {};
  switch (event.type) {
    case 'stop':
      return { phase: 'stopped', connection };
    case 'credentialsUsable':
      return isConnected ? state : { phase: 'joining', connection, ...removal };
    case 'credentialsUnusable':
      return state.phase === 'starting' ? bootstrap(event.reason, event.message) : state;
    case 'accepted':
      return state.phase === 'joining' ? { phase: 'running', connection: state.connection } : state;
    case 'notAccepted':
      return state.phase === 'running' ? { ...state, phase: 'joining' } : state;
    case 'bootstrapChanged':
      // While bootstrapping, a new address is a new conversation too.
      return state.phase === 'starting' ? state : bootstrap('BootstrapChanged', event.message);
    case 'endpointChanged':
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
      return isConnected ? { ...bootstrap('Forbidden', event.message, true), ...removal } : state;
    case 'choiceOutdated':
      return state.phase === 'starting' ? state : { phase: 'starting', connection };
    case 'obstacleFound':
      // All objects under a name that is taken belong to another cluster, so the connection ends.
      if (isConnected && event.obstacle.reason === 'NameTaken') {
        return { ...bootstrap('NameTaken', event.obstacle.message, true), obstacle: event.obstacle };
      }
      return withObstacle(state, event.obstacle);
    case 'rejoinRequested':
      return state.phase === 'joining' && state.obstacle
        ? { ...bootstrap('Forbidden', state.obstacle.message, true), ...removal }
        : state;
    case 'obstacleGone':
      return state.phase === 'bootstrapping' && state.obstacle ? { ...state, obstacle: undefined } : state;
  }
}

function withObstacle(state: AgentState, obstacle: Obstacle): AgentState {
  if (state.phase === 'stopped' || state.phase === 'starting') return state;
  if ('obstacle' in state && state.obstacle?.message === obstacle.message) return state;
  if (state.phase === 'bootstrapping') return { ...state, obstacle };
  return { phase: 'joining', connection: state.connection, obstacle };
}
