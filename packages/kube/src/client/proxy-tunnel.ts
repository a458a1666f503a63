import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import tls, { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { ClusterAccess } from '../credentials/access.ts';
import { KubeError } from '../errors/kube-error.ts';
import { bareHost, portOf } from './proxy-for.ts';

/** Those that client-go knows. */
const schemes: readonly string[] = ['http:', 'https:', 'socks5:', 'socks5h:'];

/** The URL of a proxy, checked. A bare `host:port` means http, as elsewhere. */
export function parseProxyUrl(text: string, setBy: string): URL {
  const fix = `Correct ${setBy}: it must look like http://host:port, https://user:password@host:port or socks5://host:port.`;
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  // The text may hold a password, so the message does not show it.
  if (!url || url.hostname === '')
    throw new KubeError('Config', `the proxy address in ${setBy} is not a URL`, { hint: fix });
  if (schemes.includes(url.protocol)) return url;
  throw new KubeError('Config', `the proxy in ${setBy} has the scheme ${url.protocol}// which is not supported`, {
    hint: fix,
  });
}

interface TunnelOptions {
  proxy: URL;
  /** The server to reach through it. */
  target: URL;
  /** Whom to trust behind an https proxy address. */
  access: Pick<ClusterAccess, 'ca' | 'proxyCa' | 'proxyHeaders'>;
  connectTimeoutMs: number;
  signal: AbortSignal;
}

/** A connection to the target through the proxy, in the protocol of the proxy. */
export async function openTunnel(options: TunnelOptions): Promise<Duplex> {
  if (!options.proxy.protocol.startsWith('socks5')) return openHttpTunnel(options);
  // Few use it, so it is loaded when the first does.
  const { openSocksTunnel } = await import('./socks-tunnel.ts');
  return openSocksTunnel(options);
}

/** By CONNECT, also for plain http targets. */
function openHttpTunnel({ proxy, target, access, signal }: TunnelOptions): Promise<Duplex> {
  const authority = `${target.hostname}:${portOf(target)}`;
  const host = bareHost(proxy);
  const options = {
    host,
    port: portOf(proxy),
    method: 'CONNECT',
    path: authority,
    headers: { ...access.proxyHeaders, host: authority, ...basicAuthorization(proxy) },
    agent: false,
    signal,
  };
  const request =
    proxy.protocol === 'https:'
      ? httpsRequest({
          ...options,
          // Node would take both from the Host header, which names the target.
          servername: isIP(host) === 0 ? host : '',
          checkServerIdentity: (_name: string, certificate: PeerCertificate) => checkServerIdentity(host, certificate),
          ...trustOf(access),
          minVersion: 'TLSv1.2',
        })
      : httpRequest(options);
  return new Promise((resolve, reject) => {
    request.once('connect', (response, socket, head) => {
      if (response.statusCode === 200) {
        if (head.length > 0) socket.unshift(head);
        return resolve(socket);
      }
      socket.destroy();
      reject(refused(proxy, authority, response.statusCode ?? 0));
    });
    // A proxy that answers without ever reaching CONNECT semantics, for example a plain web server.
    request.once('response', (response) => {
      response.destroy();
      reject(refused(proxy, authority, response.statusCode ?? 0));
    });
    request.once('error', (cause) => reject(KubeError.from(cause, `proxy ${proxy.host}`)));
    request.end();
  });
}

/**
 * Kubeconfigs have no field for the CA of a proxy. client-go trusts `certificate-authority` for it, so that is where it is put;
 * the system's roots stay trusted beside it, because a public certificate in front of a private cluster is common too.
 */
function trustOf({ ca, proxyCa }: Pick<ClusterAccess, 'ca' | 'proxyCa'>) {
  const given = [ca, proxyCa].filter((bundle) => bundle !== undefined);
  if (given.length === 0) return {};
  // As for the server itself: any certificate in the bundle is trusted, also one that is not a root.
  // Not imported by its name: a Node without it could not load this package, to say which Node is needed.
  return { ca: [...tls.getCACertificates(), ...given], allowPartialTrustChain: true };
}

function basicAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {};
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

function refused(proxy: URL, authority: string, status: number): KubeError {
  return new KubeError('Unavailable', `proxy ${proxy.host} answered ${status} to CONNECT ${authority}`, {
    status,
    hint:
      status === 407
        ? `Give the proxy's user and password in its URL: http://user:password@${proxy.host}.`
        : `Check that the proxy allows ${authority}, or list the server in NO_PROXY.`,
  });
}
