/** What an event is about and who reports it, as far as events are counted together. */
export interface ObservedEvent {
  /** The reporting component, its host, and the object with its uid. */
  readonly source: string;
  /** Type and reason, and the field of the object that it is about. */
  readonly reason: string;
  readonly message: string;
}

export interface CorrelatedEvent {
  readonly message: string;
  /** How often this event was seen, with this time; above 1 it is an update. */
  readonly count: number;
  /** The same for all events that are counted together. */
  readonly key: string;
}

const combineFrom = 10;
const combineMs = 600_000;
const burst = 25;
const refillMs = 300_000;
const maxKeys = 4096;

interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

interface SimilarEvents {
  readonly messages: ReadonlySet<string>;
  readonly at: number;
}

/**
 * Keeps events from growing without bound by the rules of client-go: the same event is counted, the tenth of a reason with another message
 * within ten minutes starts a combined one, and an object gets 25 events at once and then one in five minutes.
 */
export class EventCorrelator {
  readonly #buckets = new BoundedMap<Bucket>();
  readonly #similar = new BoundedMap<SimilarEvents>();
  readonly #counts = new BoundedMap<number>();

  /** The event to write; undefined for one that is dropped. */
  correlate({ source, reason, message }: ObservedEvent, now: number): CorrelatedEvent | undefined {
    const together = JSON.stringify([source, reason]);
    const before = this.#similar.get(together);
    const recent = before && now - before.at <= combineMs ? before.messages : new Set<string>();
    const messages = new Set([...recent, message]);
    const isCombined = messages.size >= combineFrom;
    this.#similar.set(together, { messages: isCombined ? recent : messages, at: now });
    const key = isCombined ? together : JSON.stringify([source, reason, message]);
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    if (!this.#take(source, now)) return undefined;
    return { message: isCombined ? `(combined from similar events): ${message}` : message, count, key };
  }

  /** Starts again at 1: what was counted is no longer stored. */
  forget(key: string): void {
    this.#counts.set(key, 1);
  }

  #take(source: string, now: number): boolean {
    const { tokens, at } = this.#buckets.get(source) ?? { tokens: burst, at: now };
    const filled = Math.min(burst, tokens + (now - at) / refillMs);
    const allowed = filled >= 1;
    this.#buckets.set(source, { tokens: allowed ? filled - 1 : filled, at: now });
    return allowed;
  }
}

/** Forgets what was not written for the longest time when there are too many keys. */
export class BoundedMap<T> {
  readonly #values = new Map<string, T>();

  get(key: string): T | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: T): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > maxKeys && oldest !== undefined) this.#values.delete(oldest);
  }
}
