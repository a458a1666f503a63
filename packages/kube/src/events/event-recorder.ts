import { hostname } from 'node:os';
import type { KubeObject } from '@flotilla/schema';
import { backoffMs } from '../clock/backoff.ts';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real-clock.ts';
import { isAbsence } from '../errors/absence.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { Event } from '../kinds/built-in-types.ts';
import { type Logger, silentLogger } from '../log/logger.ts';
import { keyOf } from '../meta/keys.ts';
import type { CallOptions, ResourceHandle } from '../resources/resource-handle.ts';
import { buildEvent, type EventInput, eventName } from './event.policy.ts';
import { defaultEventLimits, EventAggregator, type EventLimits, type EventSeries, seriesOf } from './event-series.ts';

/** Records Events about objects. Never throws, never waits: an event must not delay what it is about. */
export interface EventRecorder extends AsyncDisposable {
  record(regarding: KubeObject, event: EventInput): void;
  /** Sends what is still to be sent, for at most `drainMs`; afterwards nothing is recorded. */
  close(): Promise<void>;
}

/** What a recorder is made of. */
export interface EventRecorderOptions {
  events: Pick<ResourceHandle<Event>, 'create' | 'patch'>;
  /** Who reports, for example `placement-controller`. */
  reportingController: string;
  /** Default: the host name, which is the name of the pod. */
  reportingInstance?: string;
  clock?: Clock;
  log?: Logger;
  limits?: Partial<EventLimits>;
  drainMs?: number;
  random?: () => number;
}

/** Events that wait to be sent; more are dropped. */
const maxWaiting = 1000;
const maxAttempts = 5;
const retryBackoff = { baseMs: 1000, maxMs: 60_000 };
/** Before the first, second, … update of a count. */
const updateBackoff = { baseMs: 2000, maxMs: 600_000 };
const requestMs = 10_000;

/** A recorder of `events.k8s.io/v1` Events, which `kubectl describe` and `kubectl events` show. */
export const createEventRecorder = (options: EventRecorderOptions): EventRecorder => new Recorder(options);

class Recorder implements EventRecorder {
  readonly #events: EventRecorderOptions['events'];
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #drainMs: number;
  readonly #random: () => number;
  readonly #reporter: { readonly reportingController: string; readonly reportingInstance: string };
  readonly #book: EventAggregator;
  /** Series with something to send, in order. */
  readonly #waiting = new Set<EventSeries>();
  /** Series whose count will be sent later, and how to cancel that. */
  readonly #later = new Map<EventSeries, () => void>();
  readonly #abort = new AbortController();
  #sending: Promise<void> | undefined;
  #closed = false;
  #sequence = 0;

  constructor(options: EventRecorderOptions) {
    this.#events = options.events;
    this.#clock = options.clock ?? realClock;
    this.#log = options.log ?? silentLogger;
    this.#drainMs = options.drainMs ?? 5000;
    this.#random = options.random ?? Math.random;
    this.#reporter = {
      reportingController: options.reportingController,
      reportingInstance: options.reportingInstance ?? hostname(),
    };
    this.#book = new EventAggregator({ ...defaultEventLimits, ...options.limits });
  }

  record(regarding: KubeObject, input: EventInput): void {
    if (this.#closed) return;
    const event = buildEvent(this.#reporter, regarding, input, this.#clock.now(), this.#sequence++);
    if (!event) {
      this.#log.warn('an event needs an object with apiVersion, kind and name', { reason: input.reason });
      return;
    }
    const series = this.#book.add(event, this.#clock.now(), this.#clock.monotonic());
    if (!series) this.#log.debug('too many events of one object, dropping one', { reason: input.reason });
    else if (series.count === 1) this.#enqueue(series);
    else if (series.sentCount > 0) this.#sendLater(series);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const series of [...this.#later.keys()]) this.#enqueue(series);
    const timeUp = this.#clock.schedule(this.#drainMs, () => this.#abort.abort());
    await this.#sending;
    timeUp();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #enqueue(series: EventSeries): void {
    this.#later.get(series)?.();
    this.#later.delete(series);
    if (this.#waiting.size >= maxWaiting) {
      this.#book.forget(series);
      this.#log.warn('too many events wait to be sent, dropping one', { reason: series.event.reason });
      return;
    }
    this.#waiting.add(series);
    this.#sending ??= this.#sendAll();
  }

  #sendLater(series: EventSeries): void {
    if (this.#later.has(series) || this.#waiting.has(series)) return;
    const ms = backoffMs(updateBackoff, series.updates + 1, 1);
    this.#later.set(
      series,
      this.#clock.schedule(ms, () => this.#enqueue(series)),
    );
  }

  /** One event after the other: a recorder may be late, but must not crowd out requests that matter. */
  async #sendAll(): Promise<void> {
    for (const series of this.#waiting) {
      this.#waiting.delete(series);
      await this.#send(series);
      if (this.#abort.signal.aborted) break;
      if (series.sentCount > 0 && series.count > series.sentCount) {
        if (this.#closed) this.#waiting.add(series);
        else this.#sendLater(series);
      }
    }
    if (this.#waiting.size > 0)
      this.#log.warn('shutting down before all events were recorded', { left: this.#waiting.size });
    this.#waiting.clear();
    this.#sending = undefined;
  }

  async #send(series: EventSeries): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const { count } = series;
        await this.#write(series, { signal: this.#abort.signal, deadlineMs: requestMs, priority: 'bulk' });
        series.sentCount = count;
        return;
      } catch (caught) {
        const error = KubeError.from(caught);
        if (!error.retryable || attempt >= maxAttempts || this.#abort.signal.aborted) {
          this.#book.forget(series);
          series.sentCount = 0;
          this.#log.warn('an event could not be recorded', { reason: series.event.reason, error });
          return;
        }
        const ms = error.retryAfterMs ?? backoffMs(retryBackoff, attempt, this.#random());
        await this.#clock.sleep(ms, this.#abort.signal).catch(() => undefined);
      }
    }
  }

  async #write(series: EventSeries, call: CallOptions): Promise<void> {
    if (series.sentCount > 0) {
      try {
        await this.#events.patch(keyOf(series.event), { type: 'merge', body: { series: seriesOf(series) } }, call);
        series.updates += 1;
        return;
      } catch (error) {
        if (!isAbsence(error)) throw error;
        // The server deletes events after an hour: send it again as a new one.
        const name = eventName(series.event.regarding?.name ?? '', this.#clock.now(), this.#sequence++);
        series.event = { ...series.event, metadata: { ...series.event.metadata, name } };
      }
    }
    const event = series.count > 1 ? { ...series.event, series: seriesOf(series) } : series.event;
    try {
      await this.#events.create(event, call);
    } catch (error) {
      // Our own first try, whose answer was lost.
      if (!KubeError.is(error, 'AlreadyExists')) throw error;
    }
  }
}
