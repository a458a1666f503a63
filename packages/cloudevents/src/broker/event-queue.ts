import type { CloudEvent } from '../event/cloud-event.ts';

/** An event, or how to make it when the reader is ready for it; undefined then if there is nothing to send after all. */
export type QueuedEvent = CloudEvent | (() => CloudEvent | undefined);

/**
 * The events that a stream has yet to send, at most one for each object: a newer event of an object takes the place of the older one, so
 * that a slow reader gets the newest state and costs memory for its objects, not for their changes. An event that is made later costs next
 * to nothing until then, however large its object is.
 */
export class EventQueue {
  readonly #events = new Map<string, QueuedEvent>();
  readonly #limit: number;
  #overflowed = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** False if it has too many objects. It is then empty and stays so: the reader has to resync. */
  push(key: string, event: QueuedEvent): boolean {
    if (this.#overflowed) return false;
    // In the place of the older event: what follows may say that all before it was sent.
    this.#events.set(key, event);
    if (this.#events.size <= this.#limit) return true;
    this.#overflowed = true;
    this.#events.clear();
    return false;
  }

  shift(): CloudEvent | undefined {
    for (const [key, queued] of this.#events) {
      this.#events.delete(key);
      const event = typeof queued === 'function' ? queued() : queued;
      if (event) return event;
    }
    return undefined;
  }

  get size(): number {
    return this.#events.size;
  }
}
