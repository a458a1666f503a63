import type { EventEmitter } from 'node:events';
import type { Http2SecureServer, Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Clock } from '@flotilla/kube';
import { throttled } from '../errors/api-errors.ts';
import type { Limits } from '../limits/limits.ts';
import { ConnectionGroups } from './connection-groups.ts';

/** A connection, as the socket and all that stands for it know it. */
type Endpoint = Pick<Socket, 'remoteAddress' | 'remotePort'>;

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** Unset for HTTP/1.1. */
  session?: ServerHttp2Session;
  /** Its requests that have not ended. */
  active: number;
  /** Unset until its client has shown a valid credential. */
  user?: string;
}

/** Bounds connections: in number, those of each user and of unknown clients in particular, and those that carry no request. */
export class ConnectionLimits {
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #open = new Map<string, Connection>();
  /** By address. */
  readonly #unknown = new ConnectionGroups<Connection>();
  /** By user. */
  readonly #known = new ConnectionGroups<Connection>();

  constructor(server: Http2SecureServer, limits: Limits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    server.maxConnections = limits.maxConnections;
    server.on('connection', (socket: Socket) => this.#opened(socket));
    server.on('session', (session) => this.#started(session));
    server.on('request', (request: Http2ServerRequest, response: Http2ServerResponse) => {
      // Streams of HTTP/2 are counted by their session.
      if (!request.stream) this.#counted(this.#find(request.socket), response);
    });
    server.on('upgrade', (_, socket: Socket) => this.#counted(this.#find(socket), socket));
  }

  /**
   * Notes that a request of a user who is known was admitted. Its connection counts for that user from now on, and may carry more. Throws 429
   * if the user has too many connections, and none of them is idle.
   */
  admitted(endpoint: Endpoint, user: string): void {
    const connection = this.#find(endpoint);
    if (!connection || connection.user !== undefined) return;
    this.#makeRoom(user);
    this.#unknown.remove(connection.address, connection);
    this.#known.add(user, connection);
    connection.user = user;
    const { session } = connection;
    const { maxStreamsPerConnection: maxConcurrentStreams, streamWindowBytes: initialWindowSize } = this.#limits;
    if (session && !session.destroyed) session.settings({ maxConcurrentStreams, initialWindowSize });
  }

  /** Of too many connections of a user an idle one is closed. Of too many of all users it is one of the user who has the most. */
  #makeRoom(user: string): void {
    const { maxConnections, maxConnectionsPerUser, maxUnauthenticatedConnections } = this.#limits;
    const own = this.#known.of(user);
    // What is left of the total is for clients that are not known yet: any number of known ones lets a new one in.
    const isFull = this.#known.size >= maxConnections - maxUnauthenticatedConnections;
    if (own.size < maxConnectionsPerUser && !isFull) return;
    const largest = own.size < maxConnectionsPerUser ? this.#known.largest() : own;
    const idle = largest.values().find(({ active }) => active === 0);
    if (!idle && largest.size <= own.size) throw throttled();
    const [oldest] = largest;
    const chosen = idle ?? oldest;
    if (chosen) this.#close(chosen);
  }

  #opened(socket: Socket): void {
    const connection: Connection = { socket, address: socket.remoteAddress ?? '', active: 0 };
    const name = nameOf(socket);
    this.#open.set(name, connection);
    this.#unknown.add(connection.address, connection);
    socket.once('close', () => {
      if (this.#open.get(name) === connection) this.#open.delete(name);
      this.#forget(connection);
    });
    if (this.#unknown.size <= this.#limits.maxUnauthenticatedConnections) return;
    const [oldest] = this.#unknown.largest();
    if (!oldest) return;
    this.#forget(oldest);
    oldest.socket.destroy();
  }

  /** A session is closed after a time without any stream. HTTP/1.1 connections have Node's own limit, of a few seconds. */
  #started(session: ServerHttp2Session): void {
    const connection = this.#find(session.socket);
    if (!connection) return;
    connection.session = session;
    const plan = () => this.#clock.schedule(this.#limits.idleConnectionMs, () => this.#close(connection));
    let cancel = plan();
    session.on('stream', (stream) => {
      cancel();
      this.#counted(connection, stream);
      stream.once('close', () => {
        if (connection.active === 0 && !session.closed) cancel = plan();
      });
    });
    session.once('close', () => cancel());
  }

  #counted(connection: Connection | undefined, request: EventEmitter): void {
    if (!connection) return;
    connection.active++;
    request.once('close', () => void connection.active--);
  }

  /** In good order, so that its client sends again what it has just sent. A client that reads nothing would keep the connection. */
  #close(connection: Connection): void {
    this.#forget(connection);
    const { session, socket } = connection;
    if (!session) {
      socket.destroy();
      return;
    }
    session.close();
    const cancel = this.#clock.schedule(this.#limits.closeGraceMs, () => socket.destroy());
    socket.once('close', cancel);
  }

  #forget(connection: Connection): void {
    this.#unknown.remove(connection.address, connection);
    if (connection.user !== undefined) this.#known.remove(connection.user, connection);
  }

  #find(endpoint: Endpoint): Connection | undefined {
    return this.#open.get(nameOf(endpoint));
  }
}

const nameOf = ({ remoteAddress, remotePort }: Endpoint): string => `${remoteAddress} ${remotePort}`;
