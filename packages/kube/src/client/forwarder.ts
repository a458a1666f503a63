import type { Readable } from 'node:stream';
import type { Impersonation } from '../credentials/access.ts';
import type { KubeRequest } from './transport.ts';
import type { UpgradeRequest, UpgradeResponse } from './upgrade.ts';

/** A request of somebody else. It cannot be sent without naming whom it acts for. */
export interface ForwardedRequest extends KubeRequest {
  readonly impersonate: Impersonation;
  /** Instead of that of this process. */
  readonly userAgent?: string;
}

/** An answer that is passed on as it comes, whatever its status. */
export interface ForwardedResponse {
  readonly status: number;
  /** Names in lower case; a name may come more than once. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Bytes as the server sends them, compressed if the request accepts that. The server waits while nobody reads. */
  readonly body: Readable;
  /** After the end of the body: whether all of it came. */
  isComplete(): boolean;
  /** Ends the request; the server notices. */
  abort(): void;
}

/** A request that comes from elsewhere and is of the same user as this process. */
export type RelayedRequest = Omit<ForwardedRequest, 'impersonate'> & Partial<Pick<ForwardedRequest, 'impersonate'>>;

/** Passes requests on to one API server as they are, with the credentials of this process: for a proxy on the machine of its user. */
export interface Relay {
  relay(request: RelayedRequest): Promise<ForwardedResponse>;
  upgrade(request: UpgradeRequest): Promise<UpgradeResponse>;
  close(): Promise<void>;
}

/** Passes requests of others on to one API server, with the rights of those others. */
export interface Forwarder {
  /** Resolves with the head of the answer. Throws KubeError if there is none, or if the server does not accept this process. */
  forward(request: ForwardedRequest): Promise<ForwardedResponse>;
  /** The same for a request that goes on with another protocol, such as exec. */
  upgrade(request: UpgradeRequest & Pick<ForwardedRequest, 'impersonate'>): Promise<UpgradeResponse>;
  close(): Promise<void>;
}
