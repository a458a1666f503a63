import type { Duplex } from 'node:stream';
import { SocksClient } from 'socks';
import { KubeError } from '../errors/kube-error.ts';
import { bareHost, portOf } from './proxy-for.ts';
import { openTcp } from './tcp.ts';

interface SocksTunnelOptions {
  proxy: URL;
  /** The server to reach through it. */
  target: URL;
  connectTimeoutMs: number;
  signal: AbortSignal;
}

/** A connection to the target through a SOCKS5 proxy. As in Go, the proxy looks up the name of the server, also for `socks5`. */
export async function openSocksTunnel({
  proxy,
  target,
  connectTimeoutMs,
  signal,
}: SocksTunnelOptions): Promise<Duplex> {
  const socket = await openTcp(proxy, signal).catch((cause) => {
    throw KubeError.from(cause, `proxy ${proxy.host}`);
  });
  const abort = () => socket.destroy();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await SocksClient.createConnection({
      proxy: { host: bareHost(proxy), port: portOf(proxy), type: 5, ...credentialsOf(proxy) },
      command: 'connect',
      destination: { host: bareHost(target), port: portOf(target) },
      // Only the upper bound: the signal aborts by the clock of the transport.
      timeout: connectTimeoutMs,
      existing_socket: socket,
    });
    return socket;
  } catch (cause) {
    socket.destroy();
    throw refused(proxy, `${target.hostname}:${portOf(target)}`, cause);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function credentialsOf({ username, password }: URL): { userId?: string; password?: string } {
  if (username === '') return {};
  return { userId: decodeURIComponent(username), password: decodeURIComponent(password) };
}

function refused(proxy: URL, authority: string, cause: unknown): KubeError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const hint = /authentication/i.test(why)
    ? `Check the proxy's user and password in its URL: ${proxy.protocol}//user:password@${proxy.host}.`
    : `Check that the proxy allows ${authority}, or list the server in NO_PROXY.`;
  return new KubeError('Unavailable', `SOCKS proxy ${proxy.host} does not connect to ${authority}: ${why}`, { hint });
}
