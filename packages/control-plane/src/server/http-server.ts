import { once } from 'node:events';
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { type Clock, KubeError, type Logger } from '@flotilla/kube';
import { openConnections } from '@flotilla/kube/transport';
import type { ApiHandler, ApiRequest, ApiResponse } from '../contracts/exchange.ts';
import type { UpgradeOutcome } from '../contracts/upgrade.ts';
import { statusOf } from '../errors/api-errors.ts';
import { defaultLimits, type Limits } from '../limits/limits.ts';
import { clientCertificates } from './client-certificates.ts';
import { ConnectionLimits } from './connection-limits.ts';
import { encode } from './encode.ts';
import { bodyReader } from './receive-body.ts';
import { sendAnswer } from './send-answer.ts';
import { joinUpgraded } from './upgraded-connection.ts';

export interface HttpServerOptions {
  readonly handler: ApiHandler;
  /** For requests that ask for another protocol, by HTTP/1.1. Absent: they are answered as others. */
  readonly upgrade?: (request: ApiRequest) => Promise<UpgradeOutcome>;
  readonly host: string;
  readonly port: number;
  readonly certificate: string;
  readonly key: string;
  /** The CA of client certificates. */
  readonly clientCa: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits?: Limits;
}

export interface HttpServer {
  readonly port: number;
  /** New connections get this certificate; those that stand go on with theirs. */
  renew(pair: Pick<HttpServerOptions, 'certificate' | 'key' | 'clientCa'>): void;
  close(): Promise<void>;
}

/** HTTP/2 and HTTP/1.1 over TLS on one port. */
export async function serveHttps(options: HttpServerOptions): Promise<HttpServer> {
  const { handler, log, clock, limits = defaultLimits } = options;
  const stopping = new AbortController();
  const certificateOf = clientCertificates(options.clock);
  const server = createSecureServer({
    allowHTTP1: true,
    cert: options.certificate,
    key: options.key,
    ca: options.clientCa,
    requestCert: true,
    // A certificate that does not verify is ignored, since the request may have a valid token.
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    maxHeaderListPairs: 200,
    handshakeTimeout: limits.handshakeTimeoutMs,
    // Until a client is known; see `ConnectionLimits`.
    settings: {
      maxConcurrentStreams: limits.maxUnauthenticatedStreamsPerConnection,
      initialWindowSize: limits.unauthenticatedStreamWindowBytes,
    },
  });
  const open = openConnections(server);
  const connections = new ConnectionLimits(server, limits, clock);
  const serving: Serving = { handler, certificateOf, stopping: stopping.signal, clock, limits, connections };
  // A client that disconnects during a handshake or a frame is not an error of the server.
  server.on('tlsClientError', (error) => log.debug('TLS handshake failed', { error: error.message }));
  server.on('sessionError', (error) => log.debug('HTTP/2 session failed', { error: String(error) }));
  server.on('request', (request, response) => {
    serve(request, response, serving).catch((error) => {
      log.debug('a response could not be sent', { error: String(error) });
      (response.stream ?? request.socket).destroy();
    });
  });
  if (options.upgrade) serveUpgrades(server, options.upgrade, serving);
  server.listen(options.port, options.host);
  await once(server, 'listening').catch((error: unknown) => {
    throw describeListenError(error, options);
  });
  return {
    port: (server.address() as AddressInfo).port,
    renew: ({ certificate, key, clientCa }) => server.setSecureContext({ cert: certificate, key, ca: clientCa }),
    async close() {
      stopping.abort();
      const closed = once(server, 'close');
      server.close();
      open.destroy();
      await closed;
    },
  };
}

function serveUpgrades(
  server: Http2SecureServer,
  upgrade: NonNullable<HttpServerOptions['upgrade']>,
  serving: Serving,
): void {
  server.on('upgrade', (request: Http2ServerRequest, socket: Socket, head: Buffer) => {
    const gone = new AbortController();
    socket.on('error', () => undefined);
    socket.once('close', () => gone.abort(clientGone));
    const asked: ApiRequest = {
      ...toApiRequest(request, AbortSignal.any([gone.signal, serving.stopping]), serving),
      onAdmitted: (user) => serving.connections.admitted(socket, user),
    };
    void upgrade(asked).then((outcome) => joinUpgraded(socket, head, asked, outcome));
  });
}

function describeListenError(error: unknown, { host, port }: HttpServerOptions): KubeError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const message = code === 'EADDRINUSE' ? 'the port is in use' : error instanceof Error ? error.message : String(error);
  return new KubeError('Config', `${host}:${port} cannot be listened on: ${message}`, {
    cause: error,
    hint: 'Stop whatever has the port, choose another one, or 0 for any that is free.',
  });
}

interface Serving {
  readonly handler: ApiHandler;
  readonly certificateOf: ReturnType<typeof clientCertificates>;
  readonly stopping: AbortSignal;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly connections: ConnectionLimits;
}

const clientGone = 'the client is gone';

async function serve(request: Http2ServerRequest, response: Http2ServerResponse, serving: Serving): Promise<void> {
  const { handler, stopping, clock, limits, connections } = serving;
  const gone = new AbortController();
  // With a reason at hand no error with its stack is made for each request that ends.
  response.on('close', () => gone.abort(clientGone));
  response.on('error', () => gone.abort(clientGone));
  const signal = AbortSignal.any([gone.signal, stopping]);
  refuseBodyOfGet(request);
  let isAdmitted = false;
  const asked: ApiRequest = {
    ...toApiRequest(request, signal, serving),
    onAdmitted(user) {
      connections.admitted(request.socket, user);
      isAdmitted = true;
    },
  };
  let answer: ApiResponse;
  try {
    answer = await handler(asked);
  } catch (error) {
    answer = encode(statusOf(error).code ?? 500, statusOf(error), { encoding: 'json' });
  }
  if (gone.signal.aborted) return;
  // The rest of a body of HTTP/1.1 would have to be received before the next request.
  if (!response.stream && !request.complete && [408, 413, 429].includes(answer.status)) {
    response.setHeader('connection', 'close');
  }
  const { closeGraceMs, bodyGraceMs } = limits;
  // No limit counts the answers to others. Who sent too slowly may not hold the request as long again by reading slowly.
  const slowReaderMs = !isAdmitted ? closeGraceMs : answer.status === 408 ? bodyGraceMs : limits.slowReaderMs;
  await sendAnswer(request, response, answer, { clock, slowReaderMs, closeGraceMs });
}

/** Nobody reads the body of a GET, which may be a watch that never ends: its stream is reset when the first part comes. */
function refuseBodyOfGet({ method, stream }: Http2ServerRequest): void {
  if (!stream || stream.endAfterHeaders || (method !== 'GET' && method !== 'HEAD')) return;
  stream.once('data', () => stream.close(constants.NGHTTP2_PROTOCOL_ERROR));
}

function toApiRequest(
  request: Http2ServerRequest,
  signal: AbortSignal,
  { certificateOf, clock, limits }: Serving,
): ApiRequest {
  const at = request.url.indexOf('?');
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && !name.startsWith(':')) headers[name] = [value].flat().join(', ');
  }
  return {
    method: request.method,
    path: at < 0 ? request.url : request.url.slice(0, at),
    query: new URLSearchParams(at < 0 ? '' : request.url.slice(at + 1)),
    headers,
    ...repeatedHeaders(request.rawHeaders),
    readBody: bodyReader(request, clock, limits),
    signal,
    ...certificateOf(request),
  };
}

/** From names and values in turn. Most requests repeat none. */
function repeatedHeaders(raw: readonly string[]): Pick<ApiRequest, 'repeatedHeaders'> {
  const names = raw.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  if (new Set(names).size === names.length) return {};
  const lines: Record<string, string[]> = {};
  for (const [index, name] of names.entries()) {
    lines[name] = [...(lines[name] ?? []), raw[2 * index + 1] ?? ''];
  }
  const repeated = Object.entries(lines).filter(([, values]) => values.length > 1);
  return { repeatedHeaders: Object.fromEntries(repeated) };
}
