import type { Clock } from '@flotilla/kube';
import { type CloudEvent, Extension, requiredExtension } from '../event/cloud-event.ts';

/** Longer than a client tries to publish an event. */
const keptMs = 60_000;
const maxKept = 10_000;

interface Kept {
  readonly outcome: Promise<CloudEvent | undefined>;
  readonly until: number;
}

/**
 * Events that are being handled, or were a moment ago, with their answers. A client that lost its connection does not know whether its
 * event arrived and publishes it again: that must not, say, create a second object. What failed is not kept.
 */
export class RecentEvents {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Handles an event, or gives the outcome of the same event. */
  once(event: CloudEvent, handle: () => Promise<CloudEvent | undefined>): Promise<CloudEvent | undefined> {
    // An event without an id cannot be distinguished from another one.
    if (!event.id) return handle();
    const key = JSON.stringify([requiredExtension(event, Extension.ClusterName), event.type, event.id]);
    const known = this.#kept.get(key);
    if (known && this.#clock.monotonic() < known.until) return known.outcome;
    this.#dropOld();
    const outcome = handle();
    const kept = { outcome, until: this.#clock.monotonic() + keptMs };
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    outcome.catch(() => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
    });
    return outcome;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** The oldest come first. */
  #dropOld(): void {
    const now = this.#clock.monotonic();
    for (const [key, { until }] of this.#kept) {
      if (until > now && this.#kept.size < maxKept) break;
      this.#kept.delete(key);
    }
  }
}
