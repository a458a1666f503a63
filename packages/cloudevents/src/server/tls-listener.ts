import { constants } from 'node:crypto';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type SecureContextOptions, type SecureVersion, type Server, type TLSSocket } from 'node:tls';
import type { Logger } from '@flotilla/kube';
import { openConnections } from '@flotilla/kube/transport';
import { isStillTrusted } from './client-trust.ts';

/** What a server shows to its clients, and whom it trusts. All PEM. */
export interface ServingTls {
  readonly certificate: string;
  readonly key: string;
  /** Authorities of the certificate, now and after its next renewal: announced to agents. */
  readonly servingCa?: string;
  /** Authorities of client certificates. Absent: none is asked for, and clients have tokens. */
  readonly clientCa?: string;
  /** Default: TLS 1.2. */
  readonly minVersion?: SecureVersion;
  readonly maxVersion?: SecureVersion;
  /** As OpenSSL writes them. Default: Node's. */
  readonly ciphers?: string;
}

/** A listener that can change its certificates. */
export interface TlsListener {
  readonly port: number;
  /** New connections use these. Open ones go on, unless their client certificate is of an authority that is no longer trusted. */
  update(tls: ServingTls): void;
  /** Accepts no more connections. */
  stop(): void;
  /** Ends those that are open, too. */
  close(): Promise<void>;
}

/** What a listener is made with. */
export interface TlsListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: ServingTls;
  readonly maxConnections: number;
  readonly handshakeTimeoutMs: number;
  readonly log: Logger;
  /** Called before the handshake. */
  readonly onSocket?: (socket: Socket) => void;
  readonly onConnection: (socket: TLSSocket) => void;
  /** How many connections are open now. */
  readonly onCount?: (open: number) => void;
}

/**
 * Listens with TLS. A client may show a certificate or none; one that no authority of ours signed ends the connection, so that whoever
 * reads the certificate later finds only verified ones.
 */
export async function listenTls(options: TlsListenerOptions): Promise<TlsListener> {
  const server = createServer({
    ...contextOf(options.tls),
    ALPNProtocols: ['h2'],
    requestCert: true,
    rejectUnauthorized: false,
    handshakeTimeout: options.handshakeTimeoutMs,
    // A resumed session would carry over what an authority that is no longer trusted has verified.
    secureOptions: constants.SSL_OP_NO_TICKET,
  });
  server.maxConnections = options.maxConnections;
  let { clientCa } = options.tls;
  const sockets = new Set<TLSSocket>();
  const connections = openConnections(server);
  if (options.onSocket) server.on('connection', options.onSocket);
  const closed = new Promise<void>((resolve) => server.once('close', resolve));
  server.on('secureConnection', (socket) => {
    socket.on('error', (error) => options.log.debug('a connection failed', { peer: socket.remoteAddress, error }));
    // Its handshake began before the listener stopped.
    if (!server.listening) {
      socket.destroy();
      return;
    }
    const certificate = socket.getPeerX509Certificate();
    // A handshake that was under way at an update was verified by the authorities of before.
    const isTrusted = !certificate || (socket.authorized && isStillTrusted(certificate, clientCa));
    if (socket.alpnProtocol !== 'h2' || !isTrusted) {
      options.log.info('a connection is refused', { peer: socket.remoteAddress, error: socket.authorizationError });
      socket.destroy();
      return;
    }
    sockets.add(socket);
    options.onCount?.(sockets.size);
    socket.once('close', () => {
      sockets.delete(socket);
      options.onCount?.(sockets.size);
    });
    options.onConnection(socket);
  });
  server.on('tlsClientError', (error, socket) =>
    options.log.debug('a TLS handshake failed', { peer: socket.remoteAddress, error }),
  );
  await listening(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    update(tls) {
      clientCa = tls.clientCa;
      server.setSecureContext({ ...contextOf(tls), secureOptions: constants.SSL_OP_NO_TICKET });
      endUntrusted(sockets, tls, options.log);
    },
    stop: () => void server.close(),
    async close() {
      server.close();
      connections.destroy();
      await closed;
    },
  };
}

/** A connection must not outlive the authority that its client depends on. */
function endUntrusted(sockets: Iterable<TLSSocket>, { clientCa }: ServingTls, log: Logger): void {
  for (const socket of sockets) {
    const certificate = socket.getPeerX509Certificate();
    if (!certificate || isStillTrusted(certificate, clientCa)) continue;
    const peer = { peer: socket.remoteAddress, subject: certificate.subject };
    log.info('ended a connection: the authority of its client is no longer trusted', peer);
    socket.destroy();
  }
}

/** Without an authority of ours none is trusted: the system's would be, otherwise. */
const contextOf = ({ certificate, key, clientCa, ...tls }: ServingTls): SecureContextOptions => ({
  cert: certificate,
  key,
  ca: clientCa ? [clientCa] : [],
  minVersion: tls.minVersion ?? 'TLSv1.2',
  ...(tls.maxVersion && { maxVersion: tls.maxVersion }),
  ...(tls.ciphers && { ciphers: tls.ciphers }),
});

const listening = (server: Server, { host, port }: TlsListenerOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
