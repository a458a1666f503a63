import type { Duplex } from 'node:stream';
import type { SecureContext } from 'node:tls';
import type { ClusterAccess } from '../credentials/access.ts';
import { KubeError } from '../errors/kube-error.ts';
import { type Dialed, type DialOptions, dial } from './dial.ts';
import { Http1Wire } from './http1-wire.ts';
import { Http2Wire } from './http2-wire.ts';
import { explainFailure, secureContext } from './tls.ts';
import type { Wire } from './wire.ts';

/** Enough for thousands of watches; more would only hide a leak of them. */
const maxSessions = 16;

/** How connections are opened and watched over. */
export interface WirePoolOptions extends DialOptions {
  pingIntervalMs: number;
  pingTimeoutMs: number;
}

/**
 * The connections of one access: one HTTP/2 session, a further one only while all have as many streams as the server
 * allows; or HTTP/1.1 sockets where that is what the server speaks.
 */
export class WirePool {
  readonly #access: ClusterAccess;
  readonly #options: WirePoolOptions;
  readonly #context: SecureContext | undefined;
  readonly #closing = new AbortController();
  readonly #onEmpty: (pool: WirePool) => void;
  #wires: Wire[] = [];
  #dialing: Promise<void> | undefined;
  #retired = false;

  /** Throws KubeError `Config` if certificate, key or CA cannot be parsed. `onEmpty`: retired, and the last connection closed. */
  constructor(access: ClusterAccess, options: WirePoolOptions, onEmpty: (pool: WirePool) => void) {
    this.#access = access;
    this.#options = options;
    this.#onEmpty = onEmpty;
    this.#context = access.server.startsWith('https:') ? secureContext(access) : undefined;
  }

  /** A connection with room, if there is one. */
  pick(): Wire | undefined {
    for (const wire of this.#wires) if (wire.room > 0) return wire;
    return undefined;
  }

  /** A connection with room, opened if need be; many may wait for the same one. */
  async open(): Promise<Wire> {
    for (;;) {
      const wire = this.pick() ?? (this.#wires.length >= maxSessions ? this.#leastBusy() : undefined);
      if (wire) return wire;
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
    for (const wire of [...this.#wires]) wire.retire();
    if (this.#wires.length === 0) this.#onEmpty(this);
  }

  /** Closes everything now. */
  destroy(cause: KubeError): void {
    this.#retired = true;
    this.#closing.abort(cause);
    for (const wire of [...this.#wires]) wire.destroy(cause);
  }

  #leastBusy(): Wire | undefined {
    return this.#wires.reduce<Wire | undefined>(
      (best, wire) => (wire.isOpen && (!best || wire.room > best.room) ? wire : best),
      undefined,
    );
  }

  async #dial(): Promise<void> {
    const dialed = await this.#dialOnce();
    if (this.#closing.signal.aborted) {
      dialed.socket.destroy();
      throw KubeError.from(this.#closing.signal.reason);
    }
    const wire: Wire = dialed.protocol === 'h2' ? this.#http2(dialed.socket) : this.#http1(dialed.socket);
    this.#wires.push(wire);
  }

  #dialOnce(): Promise<Dialed> {
    return dial(this.#access, this.#context, this.#options, this.#closing.signal);
  }

  #http2(socket: Duplex): Wire {
    const { clock, pingIntervalMs, pingTimeoutMs } = this.#options;
    const wire: Wire = new Http2Wire({
      ...this.#common(() => wire),
      socket,
      clock,
      pingIntervalMs,
      pingTimeoutMs,
    });
    return wire;
  }

  #http1(socket: Duplex): Wire {
    const wire: Wire = new Http1Wire({
      ...this.#common(() => wire),
      socket,
      dial: async () => {
        const dialed = await this.#dialOnce();
        if (dialed.protocol === 'http/1.1') return dialed.socket;
        // The server was replaced by one that speaks HTTP/2: this connection begins the session, and the request is sent again.
        if (this.#retired) dialed.socket.destroy();
        else this.#wires.push(this.#http2(dialed.socket));
        wire.retire();
        throw new KubeError('Unavailable', `${this.#access.server} speaks HTTP/2 now`);
      },
    });
    return wire;
  }

  #common(wire: () => Wire) {
    return {
      server: new URL(this.#access.server),
      explain: (cause: Error) => explainFailure(cause, this.#access),
      onClose: () => {
        this.#wires = this.#wires.filter((other) => other !== wire());
        if (this.#retired && this.#wires.length === 0) this.#onEmpty(this);
      },
    };
  }
}
