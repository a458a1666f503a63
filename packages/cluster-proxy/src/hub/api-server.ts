import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import { ClusterProxyApi } from '@flotilla/api-types';
import type { Logger } from '@flotilla/kube';
import type { ServingPair } from '@flotilla/kube/pki';
import { openConnections } from '@flotilla/kube/transport';
import { discoveryDocument } from '../api/discovery.ts';
import { type Target, targetOf } from '../api/target.policy.ts';
import type { FrontProxyTrust } from '../identity/front-proxy.ts';
import { replicaLimits } from '../limits.ts';
import type { StatusBody } from '../member/status-body.ts';
import { type Caller, Callers } from './callers.ts';
import type { Members } from './members.ts';
import { type ProxyDeps, proxyRequest, proxyUpgrade } from './proxy-handler.ts';
import { sendStatus, switchProtocols, writeStatus } from './raw-answers.ts';
import type { Tunnels } from './tunnels.ts';

/** What the aggregated API is served with. */
export interface ApiServerOptions extends ProxyDeps {
  readonly members: Pick<Members, 'find' | 'refusalOf'>;
  readonly tunnels: Tunnels;
  readonly host: string;
  readonly port: number;
  readonly certificate: ServingPair;
  readonly trust: FrontProxyTrust | undefined;
  readonly tls: TlsLimits;
  readonly log: Logger;
}

/** The oldest version of TLS, and the ciphers. Default: 1.2, and those of Node. */
export type TlsLimits = Pick<SecureContextOptions, 'minVersion' | 'ciphers'>;

/** The aggregated API while it is served. */
export interface ServedApi {
  readonly port: number;
  useCertificate(pair: ServingPair): void;
  useTrust(trust: FrontProxyTrust | undefined): void;
  close(): Promise<void>;
}

/** Serves the API to the API server of the hub, which has authenticated and authorized each request. */
export async function serveApi(options: ApiServerOptions): Promise<ServedApi> {
  const { log } = options;
  const callers = new Callers();
  let pair = options.certificate;
  let trust = options.trust;
  const limits: TlsLimits = { minVersion: 'TLSv1.2', ...options.tls };
  const secure = () => ({ ...limits, cert: pair.certificate, key: pair.key, ca: trust?.ca ?? pair.ca });
  callers.useTrust(trust);
  callers.useReplica(new X509Certificate(pair.certificate).fingerprint256);
  const server = createServer({
    ...secure(),
    requestCert: true,
    // Whoever shows no certificate that is believed is refused by a Status, which can be read.
    rejectUnauthorized: false,
    keepAliveTimeout: replicaLimits.keepAliveTimeoutMs,
  });
  const connections = openConnections(server);
  server.on('secureConnection', (socket) => {
    callers.connected(socket);
    socket.on('error', () => undefined);
  });
  server.on('tlsClientError', (error) => log.debug('TLS handshake failed', { error: error.message }));
  server.on('request', (request, response) => void answer(options, callers, request, response));
  server.on('upgrade', (request, socket, head) => void answerUpgrade(options, callers, request, socket, head));
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    useCertificate(next) {
      pair = next;
      callers.useReplica(new X509Certificate(next.certificate).fingerprint256);
      server.setSecureContext(secure());
    },
    useTrust(next) {
      trust = next;
      server.setSecureContext(secure());
      callers.useTrust(next);
      // What they verified counts no more; those in use are refused at their next request.
      server.closeIdleConnections();
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      connections.destroy();
      await closed;
    },
  };
}

const unauthorized: StatusBody = {
  code: 401,
  reason: 'Unauthorized',
  message: 'only the API server of the hub is served here: call this API by the address of the hub',
};
const notFound: StatusBody = {
  code: 404,
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
};
const upgradeRequired: StatusBody = {
  code: 400,
  reason: 'BadRequest',
  message: `a tunnel is opened by an Upgrade to ${ClusterProxyApi.protocol}`,
};

async function answer(
  options: ApiServerOptions,
  callers: Callers,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const target = targetOf(request.url ?? '/');
  const isHealth = target.kind === 'discovery' && /z$/.test(target.path);
  if (isHealth) return void response.end('ok');
  const caller = identified(callers, request);
  if (!caller) {
    response.setHeader('connection', 'close');
    return sendStatus(response, unauthorized);
  }
  if (target.kind === 'proxy') return proxyRequest(options, { ...target, caller }, request, response);
  if (target.kind === 'tunnel') return sendStatus(response, upgradeRequired);
  const document = target.kind === 'discovery' ? discoveryDocument(target.path) : undefined;
  if (!document) return sendStatus(response, notFound);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(document));
}

async function answerUpgrade(
  options: ApiServerOptions,
  callers: Callers,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  socket.on('error', () => undefined);
  if (head.length > 0) socket.unshift(head);
  const target: Target = targetOf(request.url ?? '/');
  const caller = identified(callers, request);
  if (!caller) return writeStatus(socket, unauthorized);
  if (target.kind === 'proxy') return proxyUpgrade(options, { ...target, caller }, request, socket);
  // A replica does not open tunnels: agents do, and the API server says whose.
  if (target.kind !== 'tunnel' || caller.isReplica) return writeStatus(socket, notFound);
  if (request.headers.upgrade !== ClusterProxyApi.protocol) return writeStatus(socket, upgradeRequired);
  const refusal = options.members.refusalOf(target.cluster);
  if (refusal) return writeStatus(socket, { code: 403, reason: 'Forbidden', message: refusal.message });
  switchProtocols(socket, ClusterProxyApi.protocol, []);
  options.tunnels.add(target.cluster, socket);
}

/** A replica that says nothing about its user is not believed either. */
function identified(callers: Callers, request: IncomingMessage): Caller | undefined {
  try {
    return callers.identify(request);
  } catch {
    return undefined;
  }
}
