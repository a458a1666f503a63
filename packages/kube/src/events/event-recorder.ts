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
import { defaultEventLimits, type EventLimits, type EventSeries, SeriesBook, seriesOf } from './event-series.ts';

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
const mostWaiting = 1000;
const mostAttempts = 5;
const retryBackoff = { baseMs: 1000, maxMs: 60_000 };
/** Before the first, second, … update of a count. */
const updateBackoff = { baseMs: 2000, maxMs: 600_000 };
const requestMs = 10_000;

/** A recorder of `events.k8s.io/v1` Events, which `kubectl describe` and `kubectl events` show. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { events, clock = realClock, log = silentLogger, drainMs = 5000, random = Math.random } = options;
  const reporter = {
    reportingController: options.reportingController,
    reportingInstance: options.reportingInstance ?? hostname(),
  };
  const book = new SeriesBook({ ...defaultEventLimits, ...options.limits });
  /** Series with something to send, in order. */
  const waiting = new Set<EventSeries>();
  /** Series whose count will be sent later, and how to cancel that. */
  const later = new Map<EventSeries, () => void>();
  const abort = new AbortController();
  let sending: Promise<void> | undefined;
  let closed = false;
  let sequence = 0;

  const enqueue = (series: EventSeries): void => {
    later.get(series)?.();
    later.delete(series);
    if (waiting.size >= mostWaiting) {
      book.forget(series);
      log.warn('too many events wait to be sent, dropping one', { reason: series.event.reason });
      return;
    }
    waiting.add(series);
    sending ??= sendAll();
  };

  const sendLater = (series: EventSeries): void => {
    if (later.has(series) || waiting.has(series)) return;
    const ms = backoffMs(updateBackoff, series.updates + 1, 1);
    later.set(
      series,
      clock.schedule(ms, () => enqueue(series)),
    );
  };

  /** One event after the other: a recorder may be late, but must not crowd out requests that matter. */
  const sendAll = async (): Promise<void> => {
    for (const series of waiting) {
      waiting.delete(series);
      await send(series);
      if (abort.signal.aborted) break;
      if (series.sentCount > 0 && series.count > series.sentCount) {
        if (closed) waiting.add(series);
        else sendLater(series);
      }
    }
    if (waiting.size > 0) log.warn('shutting down before all events were recorded', { left: waiting.size });
    waiting.clear();
    sending = undefined;
  };

  const send = async (series: EventSeries): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      try {
        const { count } = series;
        await write(series, { signal: abort.signal, deadlineMs: requestMs, priority: 'bulk' });
        series.sentCount = count;
        return;
      } catch (caught) {
        const error = KubeError.from(caught);
        if (!error.retryable || attempt >= mostAttempts || abort.signal.aborted) {
          book.forget(series);
          series.sentCount = 0;
          log.warn('an event could not be recorded', { reason: series.event.reason, error });
          return;
        }
        const ms = error.retryAfterMs ?? backoffMs(retryBackoff, attempt, random());
        await clock.sleep(ms, abort.signal).catch(() => undefined);
      }
    }
  };

  const write = async (series: EventSeries, call: CallOptions): Promise<void> => {
    if (series.sentCount > 0) {
      try {
        await events.patch(keyOf(series.event), { type: 'merge', body: { series: seriesOf(series) } }, call);
        series.updates += 1;
        return;
      } catch (error) {
        if (!isAbsence(error)) throw error;
        // The server deletes events after an hour: send it again as a new one.
        const name = eventName(series.event.regarding?.name ?? '', clock.now(), sequence++);
        series.event = { ...series.event, metadata: { ...series.event.metadata, name } };
      }
    }
    const event = series.count > 1 ? { ...series.event, series: seriesOf(series) } : series.event;
    try {
      await events.create(event, call);
    } catch (error) {
      // Our own first try, whose answer was lost.
      if (!KubeError.is(error, 'AlreadyExists')) throw error;
    }
  };

  const close = async () => {
    closed = true;
    for (const series of [...later.keys()]) enqueue(series);
    const timeUp = clock.schedule(drainMs, () => abort.abort());
    await sending;
    timeUp();
  };

  return {
    record(regarding, input) {
      if (closed) return;
      const event = buildEvent(reporter, regarding, input, clock.now(), sequence++);
      if (!event) {
        log.warn('an event needs an object with apiVersion, kind and name', { reason: input.reason });
        return;
      }
      const series = book.add(event, clock.now(), clock.monotonic());
      if (!series) log.debug('too many events of one object, dropping one', { reason: input.reason });
      else if (series.count === 1) enqueue(series);
      else if (series.sentCount > 0) sendLater(series);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
