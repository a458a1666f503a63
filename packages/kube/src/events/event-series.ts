import { TokenBucket } from '../client/token-bucket.ts';
import type { Event } from '../kinds/built-in-types.ts';
import { formatMicroTime } from '../meta/time.ts';
import { seriesKey, sourceKey } from './event.policy.ts';

/** What bounds the events of one recorder. */
export interface EventLimits {
  /** New events of one object at once; then `perSecond` more. Repetitions of an event are only counted. */
  burst: number;
  perSecond: number;
  /** The same event after so long a silence is a new one. */
  silenceMs: number;
  /** Events and objects remembered. */
  remembered: number;
}

/** client-go's shares: 25 of one object at once, then one in five minutes. */
export const defaultEventLimits: EventLimits = {
  burst: 25,
  perSecond: 1 / 300,
  silenceMs: 600_000,
  remembered: 4096,
};

/** One event and how often it was seen. */
export interface EventSeries {
  readonly key: string;
  event: Event;
  count: number;
  /** Wall clock of the last occurrence, for readers. */
  lastSeen: number;
  /** The same on the monotonic clock, for deciding. */
  seenAt: number;
  /** The count that was sent last; 0 until the event was created. */
  sentCount: number;
  /** How often the count was sent: the interval between updates grows. */
  updates: number;
}

/** The body of the event's `series`. */
export const seriesOf = ({ count, lastSeen }: EventSeries) => ({ count, lastObservedTime: formatMicroTime(lastSeen) });

/** Which events are the same as one before, and which are too many. Time is a parameter. */
export class EventAggregator {
  readonly #limits: EventLimits;
  /** In the order of their last occurrence, so that the first is evicted first. */
  readonly #series = new Map<string, EventSeries>();
  readonly #shares = new Map<string, TokenBucket>();

  constructor(limits: EventLimits) {
    this.#limits = limits;
  }

  /** Counts an event in; undefined if its object has used up its share. */
  add(event: Event, wallClock: number, now: number): EventSeries | undefined {
    const key = seriesKey(event);
    const known = this.#series.get(key);
    if (known && now - known.seenAt < this.#limits.silenceMs) {
      known.count += 1;
      known.lastSeen = wallClock;
      known.seenAt = now;
      remember(this.#series, key, known, this.#limits.remembered);
      return known;
    }
    if (!this.#share(sourceKey(event), now).take(now)) return undefined;
    const series: EventSeries = { key, event, count: 1, lastSeen: wallClock, seenAt: now, sentCount: 0, updates: 0 };
    remember(this.#series, key, series, this.#limits.remembered);
    return series;
  }

  /** Starts a new series at the next occurrence, after the server refused the event. */
  forget(series: EventSeries): void {
    if (this.#series.get(series.key) === series) this.#series.delete(series.key);
  }

  #share(source: string, now: number): TokenBucket {
    const share = this.#shares.get(source) ?? new TokenBucket(this.#limits.perSecond, this.#limits.burst, now);
    remember(this.#shares, source, share, this.#limits.remembered);
    return share;
  }
}

/** Puts a value last and drops the first ones over the limit. */
function remember<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= most) return;
    map.delete(oldest);
  }
}
