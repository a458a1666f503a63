import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import type { ClusterAccess, Impersonation } from '../credentials/access.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { ConnectionHeaders } from './connection.ts';
import { type DialOptions, dial } from './dial.ts';
import { accessHeaders, forwardedHeaders } from './request-headers.ts';
import { explainFailure, secureContext } from './tls.ts';
import type { HttpMethod } from './transport.ts';

/** A request for a connection of its own that goes on with another protocol, as those of exec and port-forward. */
export interface UpgradeRequest {
  readonly method: HttpMethod;
  /** Path and query; a path prefix of the server's URL is added. */
  readonly path: string;
  /** What to go on with: `websocket`, `SPDY/3.1`. */
  readonly protocol: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Whom the request acts for. Default: this process. */
  readonly impersonate?: Impersonation;
  /** Ends the request, and the connection that comes of it. */
  readonly signal?: AbortSignal;
  /** Until the answer. Default 30 s. */
  readonly deadlineMs?: number;
}

/** Names in lower case; a name may come more than once. */
type AnswerHeaders = readonly (readonly [name: string, value: string])[];

/** Either the connection, which is the caller's from now on, or why there is none. */
export type UpgradeResponse =
  | { readonly switched: true; readonly headers: AnswerHeaders; readonly socket: Duplex }
  | { readonly switched: false; readonly status: number; readonly headers: AnswerHeaders; readonly body: Readable };

/** What is needed beside the access. */
export interface UpgradeOptions extends DialOptions {
  readonly userAgent: string;
}

const defaultDeadlineMs = 30_000;

/** Asks the server to switch protocols. Resolves with any answer; throws KubeError if there is none. */
export async function requestUpgrade(
  access: ClusterAccess,
  options: UpgradeOptions,
  request: UpgradeRequest,
): Promise<UpgradeResponse> {
  const { signal, deadlineMs = defaultDeadlineMs } = request;
  if (signal?.aborted) throw KubeError.from(signal.reason, access.server);
  const late = new AbortController();
  const stopTimer = options.clock.schedule(deadlineMs, () =>
    late.abort(new KubeError('Timeout', `${request.method} ${pathOf(request)}: no answer within ${deadlineMs} ms`)),
  );
  const ending = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
  try {
    const context = access.server.startsWith('https:') ? secureContext(access) : undefined;
    const { socket } = await dial(access, context, { ...options, protocols: ['http/1.1'] }, ending);
    const destroy = () => socket.destroy();
    ending.addEventListener('abort', destroy, { once: true });
    socket.once('close', () => ending.removeEventListener('abort', destroy));
    return await exchange(access, options.userAgent, request, socket);
  } catch (cause) {
    if (ending.aborted) throw KubeError.from(ending.reason, access.server);
    throw explainFailure(cause instanceof Error ? cause : new Error(String(cause)), access);
  } finally {
    stopTimer();
  }
}

const pathOf = ({ path }: UpgradeRequest): string => path.split('?')[0] ?? '';

function exchange(
  access: ClusterAccess,
  userAgent: string,
  request: UpgradeRequest,
  connection: Duplex,
): Promise<UpgradeResponse> {
  const url = new URL(access.server);
  return new Promise((resolve, reject) => {
    const sent = httpRequest({
      createConnection: () => connection,
      method: request.method,
      path: url.pathname.replace(/\/+$/, '') + request.path,
      headers: { host: url.host, ...headersOf(access, userAgent, request) },
    });
    sent.once('upgrade', (answer, socket, head) => {
      if (head.length > 0) socket.unshift(head);
      resolve({ switched: true, headers: pairs(answer), socket });
    });
    sent.once('response', (answer) => {
      answer.once('close', () => connection.destroy());
      resolve({ switched: false, status: answer.statusCode ?? 502, headers: pairs(answer), body: answer });
    });
    sent.once('error', reject);
    sent.end();
  });
}

function headersOf(access: ClusterAccess, userAgent: string, request: UpgradeRequest): ConnectionHeaders {
  const { headers = {}, impersonate, protocol } = request;
  const sent: ConnectionHeaders = {};
  for (const [name, value] of Object.entries(headers)) sent[name.toLowerCase()] = value;
  // The caller cannot replace the identity.
  Object.assign(sent, accessHeaders(access, sent['user-agent'] ? String(sent['user-agent']) : userAgent));
  return {
    ...(impersonate ? forwardedHeaders(sent, { impersonate }) : sent),
    connection: 'Upgrade',
    upgrade: protocol,
  };
}

function pairs({ rawHeaders }: IncomingMessage): AnswerHeaders {
  const found: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    found.push([(rawHeaders[at] ?? '').toLowerCase(), rawHeaders[at + 1] ?? '']);
  }
  return found;
}
