import type { Socket } from 'node:net';

/** The connections of each add-on. One carries many requests, and all of them end with the registration. */
export class AddonSockets {
  readonly #byAddon = new Map<string, Set<Socket>>();

  add(addOnName: string, socket: Socket): void {
    const known = this.#byAddon.get(addOnName) ?? new Set();
    this.#byAddon.set(addOnName, known);
    if (known.has(socket)) return;
    known.add(socket);
    socket.once('close', () => {
      known.delete(socket);
      if (known.size === 0 && this.#byAddon.get(addOnName) === known) this.#byAddon.delete(addOnName);
    });
  }

  /** Ends all of an add-on. */
  disconnect(addOnName: string): void {
    for (const socket of this.#byAddon.get(addOnName) ?? []) socket.destroy();
    this.#byAddon.delete(addOnName);
  }
}
