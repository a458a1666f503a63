import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TLSSocket } from 'node:tls';
import type { Clock, Logger } from '@flotilla/kube';
import type { KeyPair } from '@flotilla/kube/pki';
import { openConnections } from '@flotilla/kube/transport';
import type { PodRuntime } from '../pods/pod-runtime.ts';
import type { KubeletAuthorizer } from './authorize.ts';
import { containerLogs } from './log-route.ts';

/** The port of kubelets; each node has an address of its own. */
export const kubeletPort = 10_250;

/** What the endpoint answers from. */
export interface KubeletServerOptions {
  readonly clock: Clock;
  readonly log: Logger;
}

/** What is known only when the node runs. */
export interface KubeletBackend {
  readonly authorize: KubeletAuthorizer;
  readonly find: (key: string) => PodRuntime | undefined;
  /** Takes over the connection of `exec` and `portForward`; false for a path that it does not serve. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;
}

/** The endpoint by which the API server reads logs of a node's containers. */
export class KubeletServer {
  readonly #server: Server;
  readonly #connections: ReturnType<typeof openConnections>;
  readonly #options: KubeletServerOptions;
  readonly #stopping = new AbortController();
  #backend: KubeletBackend | undefined;

  constructor(options: KubeletServerOptions) {
    this.#options = options;
    // A certificate that does not verify is refused with an answer that says so.
    this.#server = createServer({ requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' });
    this.#connections = openConnections(this.#server);
    this.#server.on('request', (request, response) => {
      this.#answer(request, response).catch((error) => {
        options.log.debug('a kubelet request was not answered', { path: request.url, error });
        response.destroy();
      });
    });
    this.#server.on('upgrade', (request, socket, head) => {
      this.#upgrade(request, socket, head).catch((error) => {
        options.log.debug('a stream of a pod was not opened', { path: request.url?.split('?')[0], error });
        socket.destroy();
      });
    });
    this.#server.on('tlsClientError', (error) => options.log.debug('TLS handshake failed', { error: error.message }));
  }

  /** Rejects with EADDRINUSE if another node has the address. */
  async listen(address: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen(kubeletPort, address, resolve);
    await promise.finally(() => this.#server.off('error', reject));
    this.#server.unref();
  }

  serve(backend: KubeletBackend): void {
    this.#backend = backend;
  }

  /** New connections get this certificate, and clients are verified by this authority. Without one no client is, whoever signed its certificate. */
  use({ certificate, key }: KeyPair, clientCa: string | undefined): void {
    this.#server.setSecureContext({ cert: certificate, key, ca: clientCa ?? [] });
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    const closed = Promise.withResolvers<void>();
    this.#server.close(() => closed.resolve());
    this.#connections.destroy();
    await closed.promise;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { clock } = this.#options;
    const url = new URL(request.url ?? '/', 'https://kubelet');
    if (url.pathname === '/healthz') return end(response, 200, 'ok');
    const backend = this.#backend;
    if (!backend || !(request.socket instanceof TLSSocket)) return end(response, 503, 'the node is starting');
    const decision = await backend.authorize(request.socket, request.method === 'GET' ? 'get' : 'create');
    if (decision.status !== 200) return end(response, decision.status, decision.message);
    const [, route, namespace, name, container] = url.pathname.split('/').map(decodeURIComponent);
    if (route !== 'containerLogs' || !namespace || !name || !container) return end(response, 404, '404 page not found');
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, this.#stopping.signal]);
    const answer = containerLogs({ namespace, name, container }, backend.find, url.searchParams, {
      now: clock.now(),
      signal,
    });
    if (answer.status !== 200) return end(response, answer.status, answer.message);
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.flushHeaders();
    await pipeline(answer.chunks, response);
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const refuse = (status: number, message: string) =>
      void socket.end(
        `HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${message}\n`,
      );
    socket.on('error', () => socket.destroy());
    const backend = this.#backend;
    if (!backend || !(socket instanceof TLSSocket)) return refuse(503, 'the node is starting');
    const decision = await backend.authorize(socket, 'create');
    if (decision.status !== 200) return refuse(decision.status, decision.message);
    if (backend.upgrade(request, socket, head)) return;
    const { upgrade, 'sec-websocket-protocol': protocols } = request.headers;
    this.#options.log.debug('the kubelet endpoint does not serve this', { path: request.url, upgrade, protocols });
    refuse(404, '404 page not found');
  }
}

function end(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${text}\n`);
}
