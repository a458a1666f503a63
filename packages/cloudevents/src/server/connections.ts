import type { Socket } from 'node:net';
import { type Clock, KubeError } from '@flotilla/kube';
import { networkOf } from './network-of.ts';

/** How many connections there may be, and of whom. */
export interface ConnectionLimits {
  /** A connection without a call whose sender is known ends after this time. */
  readonly idleConnectionMs: number;
  /** Connections without such a call, of one address, or one /64 of IPv6. Of more the oldest ends. */
  readonly maxPendingPerAddress: number;
  /** The same of all addresses together. */
  readonly maxPending: number;
}

interface OpenConnection {
  readonly socket: Socket;
  readonly network: string;
  cancelDeadline: () => void;
  party?: string;
}

/**
 * The connections of a server, and whose they are. One that shows nobody ends soon, so that such connections cannot take the room of others;
 * one that belongs to a party counts for it.
 */
export class Connections {
  readonly #clock: Clock;
  readonly #limits: ConnectionLimits;
  readonly #open = new Map<string, OpenConnection>();
  /** By the network of their addresses, the oldest first. */
  readonly #pending = new Map<string, Set<OpenConnection>>();
  #pendingCount = 0;
  readonly #ofParty = new Map<string, number>();

  constructor(clock: Clock, limits: ConnectionLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Call for each new connection, before its handshake. */
  opened(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const key = `${address}:${socket.remotePort}`;
    const network = networkOf(address);
    const connection: OpenConnection = { socket, network, cancelDeadline: () => {} };
    connection.cancelDeadline = this.#clock.schedule(this.#limits.idleConnectionMs, () => socket.destroy());
    this.#open.set(key, connection);
    const pending = this.#pending.get(network) ?? new Set();
    this.#pending.set(network, pending.add(connection));
    this.#pendingCount += 1;
    socket.once('close', () => {
      this.#settle(connection);
      if (this.#open.get(key) === connection) this.#open.delete(key);
      this.#leave(connection.party);
    });
    if (pending.size > this.#limits.maxPendingPerAddress) this.#endOldestOf(pending);
    else if (this.#pendingCount > this.#limits.maxPending) this.#endOldestOf(this.#largestPending());
  }

  /** Notes whose connection it is, at a call whose sender is known. Throws `TooManyRequests` if that party has too many. */
  claim(peer: string, { party, maxConnections }: { readonly party: string; readonly maxConnections: number }): void {
    const connection = this.#open.get(peer);
    if (!connection || connection.party !== undefined) return;
    const count = this.#ofParty.get(party) ?? 0;
    if (count >= maxConnections) {
      const message = `${party} has ${count} connections open, its limit "connections"`;
      throw new KubeError('TooManyRequests', message, { status: 429 });
    }
    connection.party = party;
    this.#ofParty.set(party, count + 1);
    this.#settle(connection);
  }

  /** How many connections have shown nobody yet. */
  get pending(): number {
    return this.#pendingCount;
  }

  #settle(connection: OpenConnection): void {
    connection.cancelDeadline();
    const pending = this.#pending.get(connection.network);
    if (!pending?.delete(connection)) return;
    this.#pendingCount -= 1;
    if (pending.size === 0) this.#pending.delete(connection.network);
  }

  #leave(party: string | undefined): void {
    if (party === undefined) return;
    const left = (this.#ofParty.get(party) ?? 0) - 1;
    if (left > 0) this.#ofParty.set(party, left);
    else this.#ofParty.delete(party);
  }

  #largestPending(): Set<OpenConnection> {
    let largest = new Set<OpenConnection>();
    for (const pending of this.#pending.values()) if (pending.size > largest.size) largest = pending;
    return largest;
  }

  #endOldestOf(pending: Set<OpenConnection>): void {
    const [oldest] = pending;
    if (!oldest) return;
    this.#settle(oldest);
    oldest.socket.destroy();
  }
}
