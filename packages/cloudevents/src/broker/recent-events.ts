import type { Clock } from '@flotilla/kube';
import { type MonotonicTime, timeAfter } from '@flotilla/kube/clock';
import { type CloudEvent, clusterNameOf } from '../event/cloud-event.ts';
import { callLimits } from '../limits.ts';

const { maxRecentEvents, recentEventsMs } = callLimits;

interface Kept {
  readonly outcome: Promise<CloudEvent | undefined>;
  readonly until: MonotonicTime;
}

/**
 * Events that are being handled, or were a moment ago, with their answers. A client that lost its connection does not know whether its
 * event arrived and publishes it again: that must not, say, create a second object. What failed is not kept.
 */
export class RecentEvents {
  readonly #clock: Clock;
  /** By sender, the one that was silent longest first. */
  readonly #senders = new Map<string, Map<string, Kept>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Handles an event, or gives the outcome of the same event of the same sender. */
  once(
    sender: string,
    event: CloudEvent,
    handle: () => Promise<CloudEvent | undefined>,
  ): Promise<CloudEvent | undefined> {
    // An event without an id cannot be distinguished from another one.
    if (!event.id) return handle();
    const key = JSON.stringify([clusterNameOf(event), event.type, event.id]);
    const ofSender = this.#senders.get(sender) ?? new Map<string, Kept>();
    const known = ofSender.get(key);
    if (known && this.#clock.monotonic() < known.until) return known.outcome;
    const outcome = handle();
    const kept = { outcome, until: timeAfter(this.#clock.monotonic(), recentEventsMs) };
    ofSender.delete(key);
    ofSender.set(key, kept);
    this.#senders.delete(sender);
    this.#senders.set(sender, ofSender);
    this.#dropOld(ofSender);
    outcome.catch(() => {
      if (ofSender.get(key) === kept) ofSender.delete(key);
    });
    return outcome;
  }

  /** How many events of all senders are kept. */
  get size(): number {
    let count = 0;
    for (const kept of this.#senders.values()) count += kept.size;
    return count;
  }

  #dropOld(newest: Map<string, Kept>): void {
    const now = this.#clock.monotonic();
    dropOldest(newest, now);
    for (const [sender, kept] of this.#senders) {
      dropOldest(kept, now);
      if (kept.size > 0) return;
      this.#senders.delete(sender);
    }
  }
}

/** The oldest come first. */
function dropOldest(kept: Map<string, Kept>, now: MonotonicTime): void {
  for (const [key, { until }] of kept) {
    if (until > now && kept.size <= maxRecentEvents) return;
    kept.delete(key);
  }
}
