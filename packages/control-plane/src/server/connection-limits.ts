import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Clock } from '@flotilla/kube';
import type { Limits } from '../limits/limits.ts';

/** A connection, as the socket and all that stands for it know it. */
type Endpoint = Pick<Socket, 'remoteAddress' | 'remotePort'>;

/** What the server knows of its connections. */
export interface ConnectionLimits {
  /** A client has shown a valid credential: its connection is not closed for others. */
  authenticated(connection: Endpoint): void;
}

/** Bounds connections: in number, those of unknown clients in particular, and those that carry no request. */
export function limitConnections(server: Http2SecureServer, limits: Limits, clock: Clock): ConnectionLimits {
  server.maxConnections = limits.maxConnections;
  // Oldest first.
  const unknown = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    unknown.set(name, socket);
    socket.once('close', () => void unknown.delete(name));
    const [oldest] = unknown.values();
    if (unknown.size > limits.maxUnauthenticatedConnections) oldest?.destroy();
  });
  server.on('session', (session) => closeWhenIdle(session, limits, clock));
  return { authenticated: (connection) => void unknown.delete(nameOf(connection)) };
}

const nameOf = ({ remoteAddress, remotePort }: Endpoint): string => `${remoteAddress} ${remotePort}`;

/** Closes a session after a time without any stream. HTTP/1.1 connections have Node's own limit, of a few seconds. */
function closeWhenIdle(session: ServerHttp2Session, { idleConnectionMs }: Limits, clock: Clock): void {
  let streams = 0;
  const plan = () => clock.schedule(idleConnectionMs, () => session.close());
  let cancel = plan();
  session.on('stream', (stream) => {
    streams++;
    cancel();
    stream.once('close', () => {
      streams--;
      if (streams === 0 && !session.closed) cancel = plan();
    });
  });
  session.once('close', () => cancel());
}
