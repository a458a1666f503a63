import type { Observable } from 'rxjs';
import type { UpgradeRequest, UpgradeResponse } from './upgrade.ts';

/** `critical` (lease renewals) never waits behind `normal` (reconciles), which never waits behind `bulk` (re-lists, start-up backlog). */
export type RequestPriority = 'critical' | 'normal' | 'bulk';

/** The methods that the Kubernetes API has. */
export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request, apart from where it goes and who sends it. */
export interface KubeRequest {
  method: HttpMethod;
  /** Path and query, for example `/api/v1/namespaces?limit=500`; a path prefix of the server's URL is added by the transport. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Ends the request, whatever it waits for, with a KubeError of code `Canceled`. */
  signal?: AbortSignal;
  /** For the whole request with its retries. Default: the client's. For a stream: until the response headers. */
  deadlineMs?: number;
  priority?: RequestPriority;
  /** Whether it may be sent again after a lost connection. Default: GET, HEAD, PUT and DELETE may; POST and PATCH may not. */
  repeatable?: boolean;
}

/** An answer of 2xx with its whole body. */
export interface KubeResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** A response whose body is read as it comes: a watch, or a log. */
export interface KubeStream {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Text chunks, UTF-8 decoded across chunk borders. Ends when the server ends; throws a KubeError on loss. */
  chunks: AsyncIterable<string>;
  /**
   * True if the connection proves by itself that the server is there (HTTP/2 PING), so that silence only means that nothing
   * happens: a loss is thrown by `chunks` within 45 s. False for HTTP/1.1, where the reader needs its own timeout.
   */
  readonly monitored: boolean;
  close(): void;
}

/** Sends requests to one API server with credentials that may change underneath. Throws only KubeError. */
export interface Transport {
  /** Resolves for every 2xx; any other status is thrown as KubeError, after the retries that are safe. */
  request(request: KubeRequest): Promise<KubeResponse>;
  stream(request: KubeRequest): Promise<KubeStream>;
  /** Asks for another protocol, on a connection of its own. Resolves with any answer. Absent: this transport cannot. */
  upgrade?(request: UpgradeRequest): Promise<UpgradeResponse>;
  /** Emits after new credentials, CA or server took over; streams opened before still run and should be reopened. */
  readonly accessChanged: Observable<void>;
  close(): Promise<void>;
}
