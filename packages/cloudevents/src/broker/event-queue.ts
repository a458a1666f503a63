import type { CloudEvent } from '../event/cloud-event.ts';

/**
 * The events that a stream has yet to send, at most one for each object: a newer event of an object takes the place of the older one, so
 * that a slow reader gets the newest state and costs memory for its objects, not for their changes.
 */
export class EventQueue {
  readonly #events = new Map<string, CloudEvent>();
  readonly #limit: number;
  #overflowed = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** False if it has too many objects. It is then empty and stays so: the reader has to resync. */
  push(key: string, event: CloudEvent): boolean {
    if (this.#overflowed) return false;
    // In the place of the older event: what follows may say that all before it was sent.
    this.#events.set(key, event);
    if (this.#events.size <= this.#limit) return true;
    this.#overflowed = true;
    this.#events.clear();
    return false;
  }

  shift(): CloudEvent | undefined {
    for (const [key, event] of this.#events) {
      this.#events.delete(key);
      return event;
    }
    return undefined;
  }

  get size(): number {
    return this.#events.size;
  }
}
