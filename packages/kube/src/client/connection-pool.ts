import type { Duplex } from 'node:stream';
import type { SecureContext } from 'node:tls';
import type { ClusterAccess } from '../credentials/access.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { Connection } from './connection.ts';
import { type Dialed, type DialOptions, dial } from './dial.ts';
import { Http1Connection } from './http1-connection.ts';
import { Http2Connection } from './http2-connection.ts';
import { explainFailure, secureContext } from './tls.ts';

/** Enough for thousands of watches; more would only hide a leak of them. */
const maxSessions = 16;

/** How connections are opened and watched over. */
export interface ConnectionPoolOptions extends DialOptions {
  pingIntervalMs: number;
  pingTimeoutMs: number;
}

/**
 * The connections of one access: one HTTP/2 session, a further one only while all have as many streams as the server
 * allows; or HTTP/1.1 sockets where that is what the server speaks.
 */
export class ConnectionPool {
  readonly #access: ClusterAccess;
  readonly #options: ConnectionPoolOptions;
  readonly #context: SecureContext | undefined;
  readonly #closing = new AbortController();
  readonly #onEmpty: (pool: ConnectionPool) => void;
  #connections: Connection[] = [];
  #dialing: Promise<void> | undefined;
  #retired = false;

  /** Throws KubeError `Config` if certificate, key or CA cannot be parsed. `onEmpty`: retired, and the last connection closed. */
  constructor(access: ClusterAccess, options: ConnectionPoolOptions, onEmpty: (pool: ConnectionPool) => void) {
    this.#access = access;
    this.#options = options;
    this.#onEmpty = onEmpty;
    this.#context = access.server.startsWith('https:') ? secureContext(access) : undefined;
  }

  /** A connection with room, if there is one. */
  pick(): Connection | undefined {
    for (const connection of this.#connections) if (connection.room > 0) return connection;
    return undefined;
  }

  /** A connection with room, opened if need be; many may wait for the same one. */
  async open(): Promise<Connection> {
    for (;;) {
      const connection = this.pick() ?? (this.#connections.length >= maxSessions ? this.#leastBusy() : undefined);
      if (connection) return connection;
      this.#dialing ??= this.#dial().finally(() => {
        this.#dialing = undefined;
      });
      await this.#dialing;
    }
  }

  /** Takes no new requests; each connection closes after its last one under way. */
  retire(): void {
    this.#retired = true;
    this.#closing.abort(new KubeError('Unavailable', 'the access was replaced'));
    for (const connection of [...this.#connections]) connection.retire();
    if (this.#connections.length === 0) this.#onEmpty(this);
  }

  /** Closes all connections now. */
  destroy(cause: KubeError): void {
    this.#retired = true;
    this.#closing.abort(cause);
    for (const connection of [...this.#connections]) connection.destroy(cause);
  }

  #leastBusy(): Connection | undefined {
    return this.#connections.reduce<Connection | undefined>(
      (best, connection) => (connection.isOpen && (!best || connection.room > best.room) ? connection : best),
      undefined,
    );
  }

  async #dial(): Promise<void> {
    const dialed = await this.#dialOnce();
    if (this.#closing.signal.aborted) {
      dialed.socket.destroy();
      throw KubeError.from(this.#closing.signal.reason);
    }
    const connection: Connection = dialed.protocol === 'h2' ? this.#http2(dialed.socket) : this.#http1(dialed.socket);
    this.#connections.push(connection);
  }

  #dialOnce(): Promise<Dialed> {
    return dial(this.#access, this.#context, this.#options, this.#closing.signal);
  }

  #http2(socket: Duplex): Connection {
    const { clock, pingIntervalMs, pingTimeoutMs } = this.#options;
    const connection: Connection = new Http2Connection({
      ...this.#common(() => connection),
      socket,
      clock,
      pingIntervalMs,
      pingTimeoutMs,
    });
    return connection;
  }

  #http1(socket: Duplex): Connection {
    const connection: Connection = new Http1Connection({
      ...this.#common(() => connection),
      socket,
      dial: async () => {
        const dialed = await this.#dialOnce();
        if (dialed.protocol === 'http/1.1') return dialed.socket;
        // The server was replaced by one that speaks HTTP/2: this connection begins the session, and the request is sent again.
        if (this.#retired) dialed.socket.destroy();
        else this.#connections.push(this.#http2(dialed.socket));
        connection.retire();
        throw new KubeError('Unavailable', `${this.#access.server} speaks HTTP/2 now`);
      },
    });
    return connection;
  }

  #common(connection: () => Connection) {
    return {
      server: new URL(this.#access.server),
      explain: (cause: Error) => explainFailure(cause, this.#access),
      onClose: () => {
        this.#connections = this.#connections.filter((other) => other !== connection());
        if (this.#retired && this.#connections.length === 0) this.#onEmpty(this);
      },
    };
  }
}
