import type { CachedResource, Informers, KubeClient } from '@flotilla/kube';
import type { EpochMs } from '@flotilla/kube/clock';
import type { CertificateSigningRequest } from '@flotilla/kube/kinds';
import type { HubEndpoint } from './hub-endpoint.ts';

/** The data of the hub kubeconfig Secret, decoded: `kubeconfig`, `tls.crt`, `tls.key`, `token`, `config.yaml`, … */
export type StoredCredentials = Readonly<Record<string, string>>;

/** Why stored credentials cannot be used. */
export type CredentialReason =
  /** Some entry is not there. */
  | 'Missing'
  /** An entry is there and cannot be read, or two of them do not fit together. */
  | 'Malformed'
  /** They are those of another cluster, agent or add-on. */
  | 'OtherIdentity'
  | 'Expired';

/** What stored credentials are good for. */
export type CredentialState =
  | {
      readonly usable: true;
      /** When they stop working, milliseconds since the epoch; absent if they do not. */
      readonly expiresAt?: EpochMs;
    }
  | { readonly usable: false; readonly reason: CredentialReason; readonly message: string };

/** A condition for the ManagedCluster (or the add-on), without its times. */
export interface DriverCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/**
 * What a driver has to remember while it waits, such as the key of a request: entries that come back with the stored credentials
 * in the next call, also after a restart of the agent. Undefined removes one. Their names begin with `notePrefix`.
 */
export type DriverNotes = Readonly<Record<string, string | undefined>>;

/** Entries of stored credentials that begin with this are the notes of a driver; they are neither copied to files nor logged. */
export const notePrefix = 'pending.';

/** Whether an entry of stored credentials is a note of a driver. */
export const isNote = (name: string): boolean => name.startsWith(notePrefix);

/** When to call again although nothing wakes, and the reason, for the log. */
export interface NextCheck {
  /** At least a second, whatever is given. */
  readonly afterMs: number;
  readonly why: string;
}

/** The result of `obtain`. Notes are stored before anything else happens. */
export type ObtainOutcome =
  /** The stored credentials stay. */
  | { readonly kind: 'unchanged'; readonly condition?: DriverCondition; readonly next?: NextCheck }
  /** The hub has to decide or to act; `why` is shown to the user. */
  | {
      readonly kind: 'waiting';
      readonly why: string;
      readonly condition?: DriverCondition;
      /** Absent: until `wake` is called. 0: at once, when the notes are stored. */
      readonly checkAfterMs?: number;
      readonly notes?: DriverNotes;
    }
  /** Store these over what is stored. Until that succeeds `obtain` is not called again. All notes are removed. */
  | { readonly kind: 'obtained'; readonly credentials: StoredCredentials; readonly condition?: DriverCondition }
  /** Call again after a back-off. */
  | {
      readonly kind: 'failed';
      readonly error: Error;
      readonly condition?: DriverCondition;
      readonly notes?: DriverNotes;
    };

/** What credentials are obtained with while one connection to the hub lasts. */
export interface IssuerContext {
  /** With the bootstrap credentials while bootstrapping, with the stored ones afterwards. */
  readonly hub: KubeClient;
  /** Caches of `hub`. All who ask for the same selection share one watch, add-ons included. */
  readonly informers: Informers;
  /** A cache of the requests for certificates of this cluster, where one watch serves many clusters. Whoever calls it closes it. */
  readonly requests?: () => CachedResource<CertificateSigningRequest>;
  /** Aborts with the connection. */
  readonly signal: AbortSignal;
  /** Asks for another `obtain` soon: something that the issuer watches on the hub changed. */
  readonly wake: () => void;
}

/**
 * Obtains or renews credentials if needed. Level-triggered: called at start, after each `wake`, when a check is due, and at least once
 * a day. Must not write Secrets, and must not block while the hub decides: it returns `waiting` and wakes later.
 */
export type Obtain = (stored: StoredCredentials) => Promise<ObtainOutcome>;

/**
 * Gets, renews and reads one set of credentials, of a cluster's agent or of an add-on. Called by one caller at a time. It keeps
 * nothing that it could not lose: what a pending request needs is in its notes, all else in the stored credentials.
 */
export interface CredentialIssuer {
  /** Whether stored credentials are those of this identity and work now. Pure; called often, also before any connection. */
  evaluate(stored: StoredCredentials): CredentialState;
  /** Where stored credentials lead; undefined if they name no hub. Throws `Config` if what names it cannot be read. Pure. */
  endpointOf(stored: StoredCredentials): HubEndpoint | undefined;
  /** The entries of the Secret that lead to an endpoint: a kubeconfig, a `config.yaml`, both, or none. Pure. */
  describe(endpoint: HubEndpoint): StoredCredentials;
  /** Called once per connection; what it starts ends with `context.signal`. */
  start(context: IssuerContext): Obtain;
}
