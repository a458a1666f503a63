import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { realClock } from '@flotilla/kube';
import { makeServingPair } from '@flotilla/kube/pki';
import { startSocksProxy } from '../../packages/kube/fixtures/socks-proxy.ts';

/** The only way to a member: whatever name it is asked for, it leads to the port of the member's API server. */
export interface MemberProxy extends AsyncDisposable {
  readonly url: string;
  /** PEM, of a proxy that is reached by HTTPS. */
  readonly ca?: string;
  /** The targets of the connections that it has opened, `host:port`. */
  readonly opened: readonly string[];
}

/** How a proxy is reached, and what it demands. */
export interface MemberProxyOptions {
  readonly scheme: 'http' | 'https' | 'socks5';
  readonly targetPort: number;
  /** Without it: any that is free. */
  readonly port?: number;
  /** Of HTTP proxies: name and value of a header, without which they refuse. */
  readonly header?: readonly [name: string, value: string];
  /** Of SOCKS proxies: `user:password`. */
  readonly credentials?: string;
}

/** Starts one. */
export async function startMemberProxy(options: MemberProxyOptions): Promise<MemberProxy> {
  if (options.scheme !== 'socks5') return startConnectProxy(options);
  const { credentials, targetPort } = options;
  const proxy = await startSocksProxy({ targetPort, ...(credentials !== undefined && { credentials }) });
  const user = credentials === undefined ? '' : `${credentials}@`;
  return {
    url: `socks5://${user}127.0.0.1:${proxy.port}`,
    opened: proxy.asked,
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

async function startConnectProxy({ scheme, targetPort, port = 0, header }: MemberProxyOptions): Promise<MemberProxy> {
  const isHttps = scheme === 'https';
  const pair = isHttps ? await makeServingPair(['localhost'], { now: realClock.now(), lifeMs: 3_600_000 }) : undefined;
  const server = pair ? createHttps({ cert: pair.certificate, key: pair.key }) : createHttp();
  const sockets = new Set<Socket>();
  const opened: string[] = [];
  server.on(isHttps ? 'secureConnection' : 'connection', (socket: Socket) => sockets.add(socket));
  server.on('connect', ({ url = '', headers }, near) => {
    near.on('error', () => undefined);
    if (header && headers[header[0].toLowerCase()] !== header[1]) {
      near.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    opened.push(url);
    const far = connect(targetPort, '127.0.0.1', () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      near.pipe(far).pipe(near);
    });
    far.on('error', () => near.destroy());
    far.once('close', () => near.destroy());
    near.once('close', () => far.destroy());
    sockets.add(far);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: listening } = server.address() as AddressInfo;
  return {
    url: `${scheme}://localhost:${listening}`,
    ...(pair && { ca: pair.ca }),
    opened,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
