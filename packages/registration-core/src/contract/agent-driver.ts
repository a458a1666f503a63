import type { ManagedCluster } from '@flotilla/api-types';
import type { AccessSource, Clock, KubeClient, Logger } from '@flotilla/kube';
import type { Transport } from '@flotilla/kube/transport';
import type { Observable } from 'rxjs';
import type { AddonDriverContext, AddonRegistration } from './addon-driver.ts';
import type { CredentialIssuer, StoredCredentials } from './credentials.ts';
import type { DriverSecret } from './driver-secret.ts';
import type { BootstrapSource, StoredConnection } from './hub-connection.ts';
import type { HubEndpoint } from './hub-endpoint.ts';
import type { HubInfo } from './hub-info.ts';
import type { HubOffer } from './hub-offer.ts';

/** Who an agent is; decided before the first driver call and never changed while it runs. */
export interface AgentIdentity {
  readonly clusterName: string;
  readonly agentName: string;
  /** Uid of the namespace kube-system of the managed cluster, if the agent may read it: distinguishes two clusters of one name. */
  readonly clusterUid?: string;
}

/** The text of a file that may change. */
export interface TextSource {
  /** Throws `Config` if it cannot be read. */
  current(): Promise<string>;
  readonly changes: Observable<void>;
  close(): void;
}

/**
 * Opens the files that flags name, such as --bootstrap-kubeconfig. They are on disk, or entries of a Secret where a program reads its
 * bootstrap credentials from the API server. Each is followed when it changes. The caller must close what it opens.
 */
export interface BootstrapFiles {
  kubeconfig(path: string): AccessSource;
  text(path: string): TextSource;
}

/** What every driver is made with, on the side of the agent. */
export interface AgentDriverContext<O> {
  readonly identity: AgentIdentity;
  /** The values of the driver's own flags. */
  readonly options: O;
  /** Feature gates by their OCM names. */
  readonly gates: Readonly<Record<string, boolean>>;
  readonly files: BootstrapFiles;
  /** A transport to an API server, with the metrics, proxies and user agent of this process. */
  readonly connect: (access: AccessSource) => Transport;
  /** A Secret beside that of the agent, whose name ends with the suffix. */
  readonly secret: (suffix: string) => DriverSecret;
  readonly clock: Clock;
  readonly log: Logger;
  /** In [0, 1). */
  readonly random: () => number;
}

/** Why the hub cannot be used over a connection at the moment. */
export type ConnectionReason =
  /** The hub does not accept the credentials, refreshed ones included. If that lasts, the agent bootstraps again. */
  | 'Unauthorized'
  /** The hub knows the agent and forbids it to read its own ManagedCluster. */
  | 'Forbidden'
  /** The hub does not answer. */
  | 'Unavailable'
  /** The driver cannot make credentials now, such as a token of a cloud. Bootstrapping would not help; the agent is not ready. */
  | 'CredentialsFailed';

/** Whether the hub can be used over a connection. */
export type ConnectionState =
  | { readonly connected: true }
  | { readonly connected: false; readonly reason: ConnectionReason; readonly message: string };

/** How an agent proves to a hub who it is, and how it reaches that hub. One object per agent, made once its identity is known. */
export interface AgentDriver extends CredentialIssuer {
  /** The hubs that the agent may join, the preferred one first. More than one only with the gate MultipleHubs. */
  readonly bootstraps: readonly [BootstrapSource, ...BootstrapSource[]];
  /**
   * Connects with stored credentials that `evaluate` finds usable. Called once per hub; the caller closes it. Credentials that can be
   * refreshed without the hub, such as tokens of a cloud, are refreshed here: when they end, and after a 401, before it is thrown.
   */
  open(endpoint: HubEndpoint, stored: StoredCredentials): StoredConnection;
  /** What the hub must know about the cluster for this auth type, set before it asks to join and kept afterwards. Pure. */
  decorate?(cluster: ManagedCluster): ManagedCluster;
  /** Whether a cluster could join this hub with its bootstrap credentials. Asked with the gate MultipleHubs. Never rejects. */
  checkBootstrap(hub: KubeClient, signal: AbortSignal): Promise<HubOffer>;
  /** Whether the hub accepts the agent now. Default: reads the ManagedCluster of the agent. Never rejects. */
  checkConnection?(hub: KubeClient, signal: AbortSignal): Promise<ConnectionState>;
  /** Reads what the hub publishes about itself; undefined if it publishes nothing. Absent: the agent does not follow that. */
  readHubInfo?(hub: KubeClient, signal: AbortSignal): Promise<HubInfo | undefined>;
  /** Where add-ons reach the API of the hub. Default: where the agent does. */
  addonEndpoint?(endpoint: HubEndpoint): HubEndpoint;
  /** Credentials by which an add-on uses the connection of this agent, for an add-on driver that needs its cluster's driver. */
  addonIssuer?(
    context: Omit<AddonDriverContext<unknown>, 'options'>,
    registration: AddonRegistration,
  ): CredentialIssuer;
  /** Called once, when the agent ends. */
  close?(): void | Promise<void>;
}
