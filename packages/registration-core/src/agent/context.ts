import type { AccessSource, Clock, KubeClient, Logger, Transport } from '@flotilla/kube';
import type { AgentDriver, AgentIdentity } from '../contract/index.ts';
import type { CredentialStore } from './credentials/credential-store.ts';
import type { HubEndpoint } from './credentials/hub-kubeconfig.ts';
import type { ClusterDescription } from './join/managed-cluster.policy.ts';
import type { ResolvedAgentOptions } from './options.ts';
import type { AgentEvent } from './state.ts';

/** What every phase of an agent works with. */
export interface AgentContext {
  readonly identity: AgentIdentity;
  readonly options: ResolvedAgentOptions;
  readonly gates: Readonly<Record<string, boolean>>;
  readonly management: KubeClient;
  readonly spoke: KubeClient;
  readonly driver: AgentDriver;
  readonly store: CredentialStore;
  readonly description: ClusterDescription;
  readonly connect: (access: AccessSource) => Transport;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly send: (event: AgentEvent) => void;
  /** Told when the hub let the agent in, and undefined when that connection ends. */
  readonly onHub: (hub: JoinedHub | undefined) => void;
}

/** The hub, for other parts of the process, from its acceptance until the connection ends. */
export interface JoinedHub {
  readonly identity: AgentIdentity;
  /** The agent's own access: renewed credentials arrive in it, so a transport over it never has to be made anew. The agent closes it. */
  readonly access: AccessSource;
}

/** What belongs to one connection to the hub. */
export interface PhaseScope {
  /** The first, shared access to that hub. */
  readonly bootstrap: AccessSource;
  readonly endpoint: HubEndpoint;
  /** Ends when the state moves on. */
  readonly signal: AbortSignal;
}
