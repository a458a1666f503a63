import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Server } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { SecureContextOptions } from 'node:tls';
import { type Clock, KubeError, type Logger, realClock, silentLogger } from '@flotilla/kube';
import { openConnections } from '@flotilla/kube/transport';
import { serverLimits } from './limits.ts';
import type { ListenAddress } from './listen-address.ts';
import { findRoute, type Reply, type Route } from './route.ts';

/** What to serve, and where. */
export interface ServeOptions {
  address: ListenAddress;
  routes: readonly Route[];
  /** With it the server speaks HTTPS. */
  tls?: SecureContextOptions;
  /**
   * How long a connection without requests stays open. Default 5 s. Longer than its clients keep it, or a request can meet a connection
   * that is just being closed: API servers keep those to webhooks for 90 s.
   */
  keepAliveMs?: number;
  log?: Logger;
  clock?: Clock;
}

/** A server that runs. */
export interface RunningServer extends AsyncDisposable {
  /** With the port that was really taken. */
  readonly url: string;
  /** Serves new connections with another certificate. */
  useCertificate(tls: SecureContextOptions): void;
  /** Answers as before, and asks clients to connect anew each time: they find another replica. */
  retire(): void;
  /** Takes no new requests and waits for those in progress, at most `deadlineMs` (2 s). */
  close(deadlineMs?: number): Promise<void>;
}

/** Starts the small HTTP server of a process. Throws a KubeError `Config` if the address cannot be had. */
export async function serve({
  address,
  routes,
  tls,
  keepAliveMs = serverLimits.keepAliveMs,
  ...rest
}: ServeOptions): Promise<RunningServer> {
  const { log = silentLogger, clock = realClock } = rest;
  const cutOff = new AbortController();
  let isRetired = false;
  const onRequest = (message: IncomingMessage, response: ServerResponse) => {
    answer(routes, message, response, { isClosing: () => isRetired || !server.listening, cutOff: cutOff.signal }).catch(
      (err: unknown) => {
        log.warn('cannot answer a request', { path: message.url, err });
        if (response.headersSent) response.destroy();
        else response.writeHead(500).end('cannot answer; the log says why\n');
      },
    );
  };
  const limits = {
    headersTimeout: serverLimits.headersTimeoutMs,
    requestTimeout: serverLimits.requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    // Node compares requests with their limits only so often; its default is 30 s.
    connectionsCheckingInterval: 1000,
  };
  const httpsServer = tls && createHttpsServer({ ...limits, ...tls }, onRequest);
  const server = httpsServer ?? createHttpServer(limits, onRequest);
  const connections = openConnections(server);

  await listen(server, address);
  server.on('error', (err) => log.warn('the health and metrics server had an error', { err }));
  // It answers about the process; it is not what the process lives for.
  server.unref();

  const close = async (deadlineMs = serverLimits.closeDeadlineMs) => {
    const { promise: closed, resolve: done } = Promise.withResolvers<void>();
    server.close(() => done());
    server.closeIdleConnections();
    const cancel = clock.schedule(deadlineMs, () => {
      cutOff.abort(new KubeError('Canceled', 'the server is closing'));
      connections.destroy();
    });
    await closed;
    cancel();
  };
  return {
    url: urlOf(server.address(), httpsServer !== undefined),
    retire() {
      isRetired = true;
    },
    useCertificate: (next) => httpsServer?.setSecureContext(next),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

async function listen(server: Server, { host, port }: ListenAddress): Promise<void> {
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ port, ...(host !== undefined && { host }) }, resolve);
  try {
    await listening;
  } catch (cause) {
    const hint = 'Choose another --listen address, or end the process that has it.';
    const message = `cannot listen at ${host ?? ''}:${port}: ${KubeError.from(cause).message}`;
    throw new KubeError('Config', message, { cause, hint });
  }
  server.off('error', reject);
}

async function answer(
  routes: readonly Route[],
  message: IncomingMessage,
  response: ServerResponse,
  { isClosing, cutOff }: { isClosing: () => boolean; cutOff: AbortSignal },
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort(new KubeError('Canceled', 'the caller hung up')));
  const url = URL.parse(message.url ?? '/', 'http://process');
  const found = url && findRoute(routes, message.method ?? 'GET', url.pathname);
  let reply: Reply = { status: 400, body: 'the URL of the request is not one\n' };
  if (url && found) {
    const request = { message, url, signal: AbortSignal.any([gone.signal, cutOff]) };
    reply = 'handle' in found ? await found.handle(request) : found;
  }
  response.writeHead(reply.status, {
    'content-type': reply.contentType ?? 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    // While closing: a kept-alive connection would hold the close up until it times out.
    ...(isClosing() && { connection: 'close' }),
    ...(reply.fileName !== undefined && { 'content-disposition': `attachment; filename="${reply.fileName}"` }),
  });
  if (typeof reply.body === 'string') response.end(message.method === 'HEAD' ? undefined : reply.body);
  else await pipeline(reply.body, response);
}

function urlOf(address: ReturnType<ReturnType<typeof createHttpServer>['address']>, secure: boolean): string {
  if (typeof address !== 'object' || address === null) return '';
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `${secure ? 'https' : 'http'}://${host}:${address.port}`;
}
