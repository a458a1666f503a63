import { once } from 'node:events';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { type Clock, KubeError, type Logger } from '@flotilla/kube';
import { openConnections } from '@flotilla/kube/transport';
import type { ApiHandler, ApiRequest, ApiResponse } from '../contracts/exchange.ts';
import type { UpgradeOutcome } from '../contracts/upgrade.ts';
import { statusOf, tooLarge } from '../errors/api-errors.ts';
import { type ClientCertificate, clientCertificates } from './client-certificates.ts';
import { drained } from './drained.ts';
import { encode } from './encode.ts';
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
}

export interface HttpServer {
  readonly port: number;
  /** New connections get this certificate; those that stand go on with theirs. */
  renew(pair: Pick<HttpServerOptions, 'certificate' | 'key' | 'clientCa'>): void;
  close(): Promise<void>;
}

/** As kube-apiserver: a body of more than 3 MiB is refused before it is read to the end. */
const maxBodyBytes = 3 * 1024 * 1024;
const bodyDeadlineMs = 60_000;

/** HTTP/2 and HTTP/1.1 over TLS on one port. */
export async function serveHttps(options: HttpServerOptions): Promise<HttpServer> {
  const { handler, log } = options;
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
    settings: { maxConcurrentStreams: 1000, initialWindowSize: 1024 * 1024 },
  });
  const connections = openConnections(server);
  // A client that disconnects during a handshake or a frame is not an error of the server.
  server.on('tlsClientError', (error) => log.debug('TLS handshake failed', { error: error.message }));
  server.on('sessionError', (error) => log.debug('HTTP/2 session failed', { error: String(error) }));
  server.on('request', (request, response) => {
    serve(request, response, { handler, certificateOf, stopping: stopping.signal, clock: options.clock }).catch(
      (error) => {
        log.debug('a response could not be sent', { error: String(error) });
        response.stream?.destroy();
      },
    );
  });
  const { upgrade } = options;
  if (upgrade) {
    server.on('upgrade', (request: Http2ServerRequest, socket: Socket, head: Buffer) => {
      const gone = new AbortController();
      socket.on('error', () => undefined);
      socket.once('close', () => gone.abort(clientGone));
      const signal = AbortSignal.any([gone.signal, stopping.signal]);
      const asked = toApiRequest(request, Buffer.alloc(0), signal, certificateOf(request));
      void upgrade(asked).then((outcome) => joinUpgraded(socket, head, asked, outcome));
    });
  }
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
      connections.destroy();
      await closed;
    },
  };
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
}

const clientGone = 'the client is gone';

async function serve(
  request: Http2ServerRequest,
  response: Http2ServerResponse,
  { handler, certificateOf, stopping, clock }: Serving,
): Promise<void> {
  const gone = new AbortController();
  // With a reason at hand no error with its stack is made for each request that ends.
  response.on('close', () => gone.abort(clientGone));
  response.on('error', () => gone.abort(clientGone));
  const signal = AbortSignal.any([gone.signal, stopping]);
  let answer: ApiResponse;
  try {
    const body = await readBody(request, clock);
    answer = await handler(toApiRequest(request, body, signal, certificateOf(request)));
  } catch (error) {
    answer = encode(statusOf(error).code ?? 500, statusOf(error), { encoding: 'json' });
    if (KubeError.is(error, 'RequestTooLarge')) response.setHeader('connection', 'close');
  }
  if (gone.signal.aborted) return;
  await send(response, answer, clock);
}

function toApiRequest(
  request: Http2ServerRequest,
  body: Buffer,
  signal: AbortSignal,
  certificate: ClientCertificate,
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
    body,
    signal,
    ...certificate,
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

async function readBody(request: Http2ServerRequest, clock: Clock): Promise<Buffer> {
  if (request.method === 'GET' || request.method === 'HEAD') return Buffer.alloc(0);
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxBodyBytes) throw bodyTooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  const cancel = clock.schedule(bodyDeadlineMs, () => request.destroy());
  try {
    for await (const chunk of request) {
      size += chunk.length;
      if (size > maxBodyBytes) throw bodyTooLarge();
      chunks.push(chunk);
    }
  } finally {
    cancel();
  }
  return Buffer.concat(chunks);
}

const bodyTooLarge = (): KubeError => tooLarge(`Request entity too large: limit is ${maxBodyBytes}`);

async function send(
  response: Http2ServerResponse,
  { status, headers, body }: ApiResponse,
  clock: Clock,
): Promise<void> {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value as string | string[]);
  const isWhole = typeof body === 'string' || Buffer.isBuffer(body);
  if (isWhole) response.setHeader('content-length', Buffer.byteLength(body));
  response.writeHead(status);
  if (isWhole) {
    response.end(body);
    return;
  }
  // An empty write sends the headers: the client observes at once that its watch is established.
  response.write('');
  for await (const chunk of body) {
    if (response.write(chunk)) continue;
    await drained(response, clock);
    if (response.writableEnded || response.destroyed) return;
  }
  response.end();
}
