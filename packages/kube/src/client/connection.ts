import type { Readable } from 'node:stream';
import type { KubeError } from '../errors/kube-error.ts';
import type { Call } from './call.ts';
import type { HttpMethod, KubeResponse } from './transport.ts';

/** Header values; several of one name (Impersonate-Group) as a list. */
export type ConnectionHeaders = Record<string, string | string[]>;

/** Headers of an answer as Node gives them. */
export type IncomingHeaders = Readonly<Record<string, unknown>>;

/** What goes over the connection for one try. */
export interface ConnectionRequest {
  method: HttpMethod;
  path: string;
  headers: ConnectionHeaders;
  body: string | Uint8Array | undefined;
}

/** An answer whose head arrived. */
export interface ConnectionResponse {
  readonly status: number;
  /** As Node gives them; `flattenHeaders` makes strings of them, which few callers need. */
  readonly incoming: IncomingHeaders;
  readonly body: Readable;
  /** After the end of the body: whether all of it came, or the connection was lost in between. */
  isComplete(): boolean;
  /** Whether the connection is asked for signs of life. */
  readonly monitored: boolean;
  /** Stops reading; nothing is emitted any more. */
  abort(): void;
}

/** What carries requests to one server: an HTTP/2 session, or a set of HTTP/1.1 sockets. */
export interface Connection {
  /** Whether it takes new requests. */
  readonly isOpen: boolean;
  /** How many more requests it takes at the moment. */
  readonly room: number;
  /** Sends once and reads the whole answer, whatever its status. Rejects with the call's failure, or with an AttemptError when the connection was lost. */
  exchange(request: ConnectionRequest, call: Call): Promise<KubeResponse>;
  /** Sends once and resolves with the head of the answer; rejects as `exchange` does. */
  open(request: ConnectionRequest, call: Call): Promise<ConnectionResponse>;
  /** Takes no new requests and closes after the last one under way. */
  retire(): void;
  /** Closes now; what is under way fails. */
  destroy(cause: Error): void;
}

/** A try that got no whole answer because of the connection. */
export class AttemptError extends Error {
  readonly error: KubeError;
  /** False if the server certainly did not act on the request, so that even a POST may be sent again. */
  readonly maybeProcessed: boolean;

  constructor(error: KubeError, maybeProcessed: boolean) {
    super(error.message, { cause: error });
    this.error = error;
    this.maybeProcessed = maybeProcessed;
  }
}
