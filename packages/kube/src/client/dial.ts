import type { Duplex } from 'node:stream';
import type { SecureContext } from 'node:tls';
import type { Clock } from '../clock/clock.ts';
import type { ClusterAccess } from '../credentials/access.ts';
import { KubeError } from '../errors/kube-error.ts';
import { type Environment, proxyFromEnvironment } from './proxy-for.ts';
import { openTunnel, parseProxyUrl } from './proxy-tunnel.ts';
import { openTcp } from './tcp.ts';
import { explainFailure, startTls } from './tls.ts';

/** How connections are opened, apart from the access. */
export interface DialOptions {
  clock: Clock;
  /** For HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
  env: Environment;
  /** PEM of the CA of an https proxy, where the access names none. */
  proxyCa: string | undefined;
  /** Whole set-up: TCP, proxy and TLS. */
  connectTimeoutMs: number;
  /** What may be spoken. Default: HTTP/2 if the server does, or HTTP/1.1. */
  protocols?: readonly Dialed['protocol'][];
}

/** An open connection and what is spoken on it. */
export interface Dialed {
  socket: Duplex;
  protocol: 'h2' | 'http/1.1';
}

/** Opens one connection to the server of the access. Throws only KubeError. */
export async function dial(
  access: ClusterAccess,
  context: SecureContext | undefined,
  { clock, env, proxyCa, connectTimeoutMs, protocols = ['h2', 'http/1.1'] }: DialOptions,
  closing: AbortSignal,
): Promise<Dialed> {
  if (closing.aborted) throw KubeError.from(closing.reason, access.server);
  const server = new URL(access.server);
  // A signal for this dial alone: what listens to it goes with it, and `closing` lives for as long as the access.
  const abort = new AbortController();
  const { signal } = abort;
  const onClosing = () => abort.abort(closing.reason);
  closing.addEventListener('abort', onClosing, { once: true });
  const stopTimer = clock.schedule(connectTimeoutMs, () =>
    abort.abort(new KubeError('Unavailable', `no connection to ${access.server} within ${connectTimeoutMs} ms`)),
  );
  let socket: Duplex | undefined;
  const destroy = () => socket?.destroy();
  signal.addEventListener('abort', destroy);
  try {
    const proxy = proxyOf(access, server, env);
    socket = await (proxy
      ? openTunnel({
          proxy,
          target: server,
          access: { ...access, proxyCa: access.proxyCa ?? proxyCa },
          connectTimeoutMs,
          signal,
        })
      : openTcp(server, signal));
    if (!context) return { socket, protocol: 'http/1.1' };
    const tls = await startTls(socket, access, context, { server, protocols });
    return { socket: tls, protocol: tls.alpnProtocol === 'h2' ? 'h2' : 'http/1.1' };
  } catch (cause) {
    socket?.destroy();
    if (signal.aborted) throw KubeError.from(signal.reason, access.server);
    throw explainFailure(cause instanceof Error ? cause : new Error(String(cause)), access);
  } finally {
    closing.removeEventListener('abort', onClosing);
    signal.removeEventListener('abort', destroy);
    stopTimer();
  }
}

function proxyOf(access: ClusterAccess, server: URL, env: Environment): URL | undefined {
  if (access.proxyUrl) return parseProxyUrl(access.proxyUrl, `proxy-url of ${access.origin}`);
  const fromEnvironment = proxyFromEnvironment(env, server);
  return fromEnvironment === undefined ? undefined : parseProxyUrl(fromEnvironment, 'HTTPS_PROXY or HTTP_PROXY');
}
