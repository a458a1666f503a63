import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { realClock } from '@flotilla/kube';
import { createAuthority, issueCertificate } from '@flotilla/kube/pki';

/** One who sits between a cluster and a gRPC server, with a certificate of its own, and reads what passes. */
export interface GrpcRelay extends AsyncDisposable {
  /** `host:port`. */
  readonly address: string;
  /** PEM of the CA of its own certificate. */
  readonly ca: string;
  /** Connections so far. */
  connections(): number;
  /** What clusters sent so far after their handshakes, in bytes: all of a token would be among them. */
  received(): number;
}

/** How it tries to pass for the server. */
export interface GrpcRelayOptions {
  /** Name of its CA. */
  readonly caName: string;
  /** Certificates that it shows beside its own, PEM. */
  readonly shown?: string;
}

/** Starts one in front of a server, `host:port`. */
export async function startGrpcRelay(target: string, { caName, shown = '' }: GrpcRelayOptions): Promise<GrpcRelay> {
  const authority = await createAuthority(caName, realClock);
  const pair = await issueCertificate(authority, { usage: 'server', hosts: ['127.0.0.1', 'localhost'] }, realClock);
  const { hostname: host, port } = new URL(`https://${target}`);
  const sockets = new Set<TLSSocket>();
  let connections = 0;
  let received = 0;
  const cert = `${pair.certificate}${shown || authority.certificate}`;
  const server = createServer({ cert, key: pair.key, ALPNProtocols: ['h2'] }, (socket) => {
    const onward = connect({ host, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    for (const end of [socket, onward]) {
      sockets.add(end);
      // Ends of connections are no news here.
      end.on('error', () => end.destroy());
    }
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    socket.pipe(onward).pipe(socket);
  });
  // Also those that end before their handshake is done on this side.
  server.on('connection', () => {
    connections += 1;
  });
  // Clusters that do not believe it end their handshakes.
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: authority.certificate,
    connections: () => connections,
    received: () => received,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
