import type { UserInfo } from './user-info.ts';

/** A request as the handlers see it, whether it came over a socket or from this process. */
export interface ApiRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case; several values of one name joined as HTTP does. */
  readonly headers: Readonly<Record<string, string>>;
  /** The lines of those headers that were sent more than once, each by itself. */
  readonly repeatedHeaders?: Readonly<Record<string, readonly string[]>>;
  /**
   * The body, which is not received before this is called: after authorization. Called once. `count` gets the bytes of each part as it comes,
   * and may throw to stop.
   */
  readonly readBody: (count: (bytes: number) => void) => Promise<Buffer>;
  /** The client certificate's subject, if one was presented and verified. */
  readonly certificate?: {
    readonly commonName: string;
    readonly organizations: readonly string[];
    /** SHA-256 of the certificate, in lower-case hexadecimal. */
    readonly fingerprint?: string;
  };
  /** A client certificate was presented that does not verify: with no better credential the sender is refused, not anonymous. */
  readonly certificateRefused?: boolean;
  /** Called when the request is within the limits of a user who has shown a valid credential. May throw 429. */
  readonly onAdmitted?: (user: string) => void;
  /** Set only by callers inside this process, which need not prove who they are. */
  readonly user?: UserInfo;
  /** Aborts when the client goes away or the server stops. */
  readonly signal: AbortSignal;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Text and bytes are sent whole; a stream as it comes: a watch. */
  readonly body: string | Buffer | AsyncIterable<string | Uint8Array>;
}

/** Whether a body is sent as a whole. */
export const isWhole = (body: ApiResponse['body']): body is string | Buffer =>
  typeof body === 'string' || Buffer.isBuffer(body);

export type ApiHandler = (request: ApiRequest) => Promise<ApiResponse>;
