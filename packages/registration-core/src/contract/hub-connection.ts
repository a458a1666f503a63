import type { Transport } from '@flotilla/kube/transport';
import type { Observable } from 'rxjs';
import type { StoredCredentials } from './credentials.ts';
import type { HubEndpoint } from './hub-endpoint.ts';
import type { HubInfo } from './hub-info.ts';

/**
 * The hub as this cluster may see it. Registration, works and add-ons make their clients over it, and never connect by themselves.
 *
 * The transport carries at least ManagedCluster, CertificateSigningRequest, Lease, Event, ManagedClusterAddOn, ManifestWork and
 * TokenRequest, as far as the hub permits; a request for another path fails with `NotFound`. It may be HTTP to an API server, or map
 * these paths onto another protocol. Failures are `KubeError`: `Unauthorized` if the hub does not accept the credentials (after one
 * refresh of them), `Forbidden` if the cluster lacks the permission, `Unavailable` or `Timeout` if the hub does not answer.
 */
export interface HubConnection {
  readonly transport: Transport;
  close(): Promise<void>;
}

/** A connection with stored credentials. */
export interface StoredConnection extends HubConnection {
  /**
   * Goes on with renewed credentials, another CA or another address of the same hub. No request is lost, and watches are opened again.
   * Called with what is in use already, it does nothing.
   */
  update(endpoint: HubEndpoint, stored: StoredCredentials): void;
  /** What the hub says about itself over this connection: what it said last, and each change. Absent: it has to be read. */
  readonly announcements?: Observable<HubInfo>;
}

/** What a bootstrap source says at the moment. */
export interface BootstrapTarget {
  readonly endpoint: HubEndpoint;
  /**
   * Identifies these bootstrap credentials without holding them. A cluster that was removed asks again when this changes, so
   * credentials that are issued again and again, as by an exec plugin, have one fingerprint.
   */
  readonly fingerprint: string;
  /** For logs: a file, a Secret. */
  readonly origin: string;
}

/** A connection with bootstrap credentials. */
export interface BootstrapConnection extends HubConnection {
  /** Goes on at another address of the same hub. */
  moveTo(endpoint: HubEndpoint): void;
}

/** The first, shared access to one hub: a bootstrap kubeconfig, or the configuration of another protocol. */
export interface BootstrapSource {
  /** Where it leads now. Throws `Config` if it cannot be read. */
  current(): Promise<BootstrapTarget>;
  /** Emits when `current` would answer something else. */
  readonly changes: Observable<void>;
  /** Connects with the bootstrap credentials, and follows their changes. Called once per phase; the caller closes it. */
  open(): BootstrapConnection;
}
