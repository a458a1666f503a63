import type { Clock, KubeClient, Logger } from '@flotilla/kube';
import type { Observable } from 'rxjs';
import type {
  AgentDriver,
  AgentIdentity,
  BootstrapSource,
  HubEndpoint,
  StoredCredentials,
} from '../../contract/index.ts';
import type { AddonDriverChoice } from '../addons/driver-choice.ts';
import type { CredentialStore } from '../credentials/credential-store.ts';
import type { ClusterDescription } from '../join/managed-cluster.policy.ts';
import type { ResolvedAgentOptions } from '../options/options.ts';
import type { AgentEvent } from '../state/state.ts';
import type { HealthFacts } from './health.ts';
import type { HubSession } from './hub-session.ts';

/** What every phase of an agent works with. */
export interface AgentContext {
  readonly identity: AgentIdentity;
  readonly options: ResolvedAgentOptions;
  readonly gates: Readonly<Record<string, boolean>>;
  readonly management: KubeClient;
  readonly spoke: KubeClient;
  readonly driver: AgentDriver;
  readonly authType: string;
  readonly addonDrivers: AddonDriverChoice;
  readonly store: CredentialStore;
  /** Entries that are stored beside the credentials: the names of cluster and agent, and the auth type. */
  readonly names: StoredCredentials;
  readonly description: ClusterDescription;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly send: (event: AgentEvent) => void;
  /** Reports what makes the agent not ready, and undefined for what does not any more. */
  readonly report: (facts: HealthFacts) => void;
  /** Emits when what a failed attempt waits for may have changed: the bootstrap source, or what the agent stores. */
  readonly changes: Observable<void>;
  /** Emits when the Secret of the agent changes. */
  readonly storedChanges: Observable<void>;
  /** Outlives connections. */
  readonly session: HubSession;
}

/** What belongs to one connection to the hub. */
export interface PhaseScope {
  /** The first, shared access to that hub. */
  readonly bootstrap: BootstrapSource;
  readonly endpoint: HubEndpoint;
  /** Aborts when the state changes. */
  readonly signal: AbortSignal;
}
