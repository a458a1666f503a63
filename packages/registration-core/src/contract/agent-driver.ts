import type { ManagedCluster } from '@flotilla/api-types';
import type { Clock, ClusterAccess, Informers, KubeClient, KubeconfigUser, Logger } from '@flotilla/kube';

/** Who an agent is; decided before the first driver call and never changed while it runs. */
export interface AgentIdentity {
  readonly clusterName: string;
  readonly agentName: string;
  /** Uid of the namespace kube-system of the managed cluster, if the agent may see it: what tells two clusters of one name apart. */
  readonly clusterUid?: string;
}

/** The data of the hub kubeconfig Secret, decoded: `kubeconfig`, `tls.crt`, `tls.key`, `token`, … */
export type StoredCredentials = Readonly<Record<string, string>>;

/** What stored credentials are good for. */
export type CredentialVerdict =
  | {
      readonly usable: true;
      /** When they stop working, milliseconds since the epoch; unset if they do not. */
      readonly expiresAt?: number;
    }
  | { readonly usable: false; readonly reason: string; readonly message: string };

/** A condition for the ManagedCluster (or the add-on), without its times. */
export interface DriverCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/**
 * What a driver has to remember while it waits, such as the key of a request: entries that come back with the stored credentials
 * in the next call, also after a restart of the agent. Undefined forgets one. Their names begin with `notePrefix`.
 */
export type DriverNotes = Readonly<Record<string, string | undefined>>;

/** What `obtain` came to. Notes are safe before anything else happens. */
export type ObtainOutcome =
  | { readonly kind: 'unchanged'; readonly condition?: DriverCondition; readonly nextCheckMs?: number }
  /** Asked the hub, or still waiting for it; `why` is what a person should read meanwhile. */
  | {
      readonly kind: 'waiting';
      readonly why: string;
      readonly condition?: DriverCondition;
      /** Look again then even if nothing wakes: for a refusal that may be reconsidered; 0 for at once, when the notes are safe. */
      readonly nextCheckMs?: number;
      readonly notes?: DriverNotes;
    }
  /** Save these over what is stored. They come back in the next call, so saving may be repeated. All notes are forgotten. */
  | { readonly kind: 'obtained'; readonly credentials: StoredCredentials; readonly condition?: DriverCondition }
  | {
      readonly kind: 'failed';
      readonly error: Error;
      readonly condition?: DriverCondition;
      readonly notes?: DriverNotes;
    };

/** What a bootstrap user must be allowed on the hub. */
export interface BootstrapRight {
  readonly group: string;
  readonly resource: string;
  readonly verbs: readonly string[];
}

/** What the driver works with while one connection to the hub lasts. */
export interface DriverConnection {
  /** With the bootstrap credentials while bootstrapping, with the stored ones afterwards. */
  readonly hub: KubeClient;
  /** Caches of `hub`; one watch is shared by all who ask for the same selection, add-on drivers included. */
  readonly informers: Informers;
  /** Ends with the connection. */
  readonly signal: AbortSignal;
  /** Ask for another `obtain` soon: something that the driver watches on the hub changed. */
  readonly wake: () => void;
}

/** What every agent driver is made with. */
export interface AgentDriverContext<O> {
  readonly identity: AgentIdentity;
  readonly options: O;
  readonly clock: Clock;
  readonly log: Logger;
  /** In [0, 1). */
  readonly random: () => number;
}

/**
 * How an agent proves who it is to a hub. One object per agent (or per add-on registration), called by one caller at a time.
 * It keeps nothing that it could not lose: what a pending request needs is in its notes, everything else in the stored credentials.
 */
export interface AgentDriver {
  /** What it needs of the bootstrap user beside ManagedClusters; asked before an agent chooses one of several hubs. */
  readonly bootstrapRights?: readonly BootstrapRight[];
  /** Whether stored credentials are this identity's and work now. Pure; called often, also before any connection. */
  judge(stored: StoredCredentials): CredentialVerdict;
  /** The user entry of the kubeconfig that is written for the hub. Pure; undefined for credentials that are no kubeconfig. */
  kubeconfigUser(): KubeconfigUser | undefined;
  /** How to reach the hub with stored credentials; the agent fills in server and CA. Pure. */
  access(stored: StoredCredentials): Partial<ClusterAccess>;
  /** Called once per connection, before `obtain`; what it starts ends with `connection.signal`. */
  connect(connection: DriverConnection): void;
  /**
   * Gets or renews credentials if needed: level-triggered, called at start, after each `wake`, when a renewal is due, and now and then.
   * Must not write Secrets; must not block while the hub decides: it answers `waiting` and wakes later.
   */
  obtain(stored: StoredCredentials, connection: DriverConnection): Promise<ObtainOutcome>;
  /** What the hub must know about the cluster for this auth type, written before it asks to join. Pure. */
  decorate(cluster: ManagedCluster): ManagedCluster;
  /** Whether the hub accepts these credentials now, in the driver's own way; for the health endpoint and conditions. */
  checkConnection(connection: DriverConnection): Promise<CredentialVerdict>;
  /** A driver for an add-on's registration on the same cluster; absent if the auth type has none. */
  fork?(registration: AddonRegistration): AgentDriver;
}

/** One registration of an add-on, from the status of its ManagedClusterAddOn. */
export type AddonRegistration =
  | {
      readonly type: 'kubeClient';
      readonly addonName: string;
      readonly user: string;
      readonly groups: readonly string[];
    }
  | {
      readonly type: 'customSigner';
      readonly addonName: string;
      readonly signerName: string;
      readonly user: string;
      readonly groups: readonly string[];
      readonly organizationUnits: readonly string[];
    };
