import { constants, type X509Certificate } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { TLSSocket } from 'node:tls';
import type { ForwardAnswer, ForwardHead, ForwardOptions } from '@flotilla/cloudevents';
import { type Clock, KubeError, type Logger } from '@flotilla/kube';
import type { KeyPair } from '@flotilla/kube/pki';
import { openConnections } from '@flotilla/kube/transport';
import { AddonSockets } from './addon-sockets.ts';
import { answerStatus } from './status-answer.ts';

/** Sends a request of an add-on to the hub. */
export type ForwardToHub = (head: ForwardHead, options: ForwardOptions) => Promise<ForwardAnswer>;

/** What the endpoint is made with. */
export interface EndpointServerOptions {
  readonly clusterName: string;
  readonly host: string;
  readonly port: number;
  readonly serving: KeyPair;
  /** PEM: the authority of the certificates of add-ons. */
  readonly clientCa: string;
  /** Whether an add-on is registered now. */
  readonly isRegistered: (addOnName: string) => boolean;
  readonly forward: ForwardToHub;
  readonly clock: Clock;
  readonly log: Logger;
}

/** An endpoint that listens. */
export interface EndpointServer {
  readonly port: number;
  /** New connections see this certificate. */
  useCertificate(serving: KeyPair): void;
  /** Ends all connections of an add-on. */
  disconnect(addOnName: string): void;
  close(): Promise<void>;
}

/** Somewhat more than the hub takes, so that its answer wins. */
const headTimeoutMs = 75_000;
const maxConnections = 500;
/** As many as the hub permits, so that what is too much does not even wait for room on the connection. */
const maxAtOnce = 100;

/** Listens for add-ons. Each is known by its client certificate, and reaches the hub as itself. */
export async function startEndpointServer(options: EndpointServerOptions): Promise<EndpointServer> {
  const { host, clientCa, isRegistered, log } = options;
  const sockets = new AddonSockets();
  let atOnce = 0;
  const server = createServer(
    {
      ...tlsOf(options.serving, clientCa),
      requestCert: true,
      // Refused with a status that says why, and not in the handshake.
      rejectUnauthorized: false,
      keepAliveTimeout: 60_000,
    },
    (request, response) => {
      respond(request, response).catch((error: unknown) => answerStatus(response, error));
    },
  );
  server.maxConnections = maxConnections;
  const connections = openConnections(server);

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const addOnName = addOnOf(request.socket as TLSSocket, options.clock.now());
    if (addOnName === undefined || !isRegistered(addOnName)) return unauthorized(response);
    sockets.add(addOnName, request.socket);
    if (atOnce >= maxAtOnce) {
      throw new KubeError('TooManyRequests', `add-ons have ${maxAtOnce} requests under way`, { status: 429 });
    }
    atOnce += 1;
    try {
      await forwardRequest(options, addOnName, request, response);
    } finally {
      atOnce -= 1;
    }
  }

  await listen(server, host, options.port);
  server.on('error', (error) => log.warn('the endpoint for add-ons had an error', { error }));
  server.on('tlsClientError', (error) => log.debug('a TLS handshake with an add-on failed', { error }));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    useCertificate: (serving) => server.setSecureContext(tlsOf(serving, clientCa)),
    disconnect: (addOnName) => sockets.disconnect(addOnName),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      connections.destroy();
      await closed;
    },
  };
}

async function forwardRequest(
  { clusterName, forward, clock }: EndpointServerOptions,
  addOnName: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  const gone = new AbortController();
  response.once('close', () => gone.abort(new KubeError('Canceled', 'the add-on hung up')));
  const cancelTimer = clock.schedule(headTimeoutMs, () => gone.abort());
  const head = { clusterName, addOnName, method, path: url, headers: headersOf(request) };
  const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
  const answer = await forward(head, { ...(hasBody && { body: request }), signal: gone.signal })
    .catch((error: unknown) => {
      if (!gone.signal.aborted || response.destroyed) throw error;
      throw new KubeError('Timeout', `the hub did not answer within ${headTimeoutMs / 1000} s`, { status: 504 });
    })
    .finally(cancelTimer);
  for (const [name, value] of answer.headers) response.appendHeader(name, value);
  response.writeHead(answer.status);
  // A watch may have its first event in an hour.
  response.flushHeaders();
  await pipeline(answer.body, response);
}

function headersOf({ rawHeaders }: IncomingMessage): [string, string][] {
  const headers: [string, string][] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
  }
  return headers;
}

/** The add-on that a certificate of ours names. A connection may outlive the certificate that it was opened with. */
function addOnOf(socket: TLSSocket, now: number): string | undefined {
  if (!socket.authorized) return undefined;
  const certificate: X509Certificate | undefined = socket.getPeerX509Certificate();
  const { CN: name } = (certificate?.toLegacyObject().subject ?? {}) as { CN?: unknown };
  return typeof name === 'string' && certificate && certificate.validToDate.getTime() > now ? name : undefined;
}

function unauthorized(response: ServerResponse): void {
  const message = 'no client certificate of an add-on that is registered';
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'Unauthorized', message };
  response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ ...status, code: 401 }));
}

const tlsOf = ({ certificate, key }: KeyPair, clientCa: string) => ({
  cert: certificate,
  key,
  ca: clientCa,
  minVersion: 'TLSv1.2' as const,
  // A resumed session would not show the certificate that the add-on has now.
  secureOptions: constants.SSL_OP_NO_TICKET,
});

const listen = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
