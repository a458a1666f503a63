import { type Clock, KubeError, type Logger } from '@flotilla/kube';
import { type MonotonicTime, msBetween } from '@flotilla/kube/clock';
import type { KubeObject } from '@flotilla/schema';
import type { CloudEventsClient } from '../client/client.ts';
import { type HubAnnouncement, parseAnnouncement } from '../event/announcement.ts';
import type { CloudEvent } from '../event/cloud-event.ts';
import { type DataType, formatDataType } from '../event/data-type.ts';
import { MalformedEvent } from '../event/malformed.ts';
import { createResyncRequest } from '../resync/resync-request.ts';
import { EventLoss } from './event-loss.ts';
import { Replica } from './replica.ts';
import { nextStep, outOfStep, type SyncEvent, type SyncState } from './sync.policy.ts';

/** Options of `SyncedKind`. */
export interface SyncedKindOptions<T extends KubeObject> {
  readonly client: CloudEventsClient;
  readonly clusterName: string;
  readonly source: string;
  readonly dataType: DataType;
  readonly clock: Clock;
  readonly log: Logger;
  /** In [0, 1). */
  readonly random?: () => number;
  apply(replica: Replica<T>, event: CloudEvent): void;
  /** Identifies what the version of an object does not. */
  digest?(object: T): string;
  /** Called with an event that cannot be used. Default: it is logged, and asked for again. */
  onUnusable?(event: CloudEvent, error: MalformedEvent): void;
  /** Called with what the hub announces on this stream. */
  onAnnouncement?(announcement: HubAnnouncement): void;
}

/** How long a stream is quiet after a resync of a server that does not say when it is complete. */
const quietMs = 250;
const maxWaitMs = 5000;

/** A replica that follows the hub: it subscribes, and asks for what it does not have each time the stream opens. */
export class SyncedKind<T extends KubeObject> {
  readonly replica = new Replica<T>();
  readonly #options: SyncedKindOptions<T>;
  readonly #close: () => void;
  readonly #waiting = new Set<(state: SyncState) => void>();
  readonly #onLoss = new Set<(error: KubeError) => void>();
  #state: SyncState = { kind: 'unsubscribed' };
  readonly #loss = new EventLoss();
  /** The id of the newest resync: what is known of an older one does not count. */
  #resyncId = '';
  #cancelQuiet = () => {};
  #cancelDue = () => {};
  #lastEventAt: MonotonicTime | undefined;

  constructor(options: SyncedKindOptions<T>) {
    this.#options = options;
    const { client, clusterName, dataType } = options;
    this.#close = client.subscribe(
      { clusterName, dataType },
      {
        onSubscribed: () => {
          this.#loss.reset();
          this.#step({ type: 'subscribed' });
        },
        onEvent: (event) => this.#receive(event),
        onHeartbeat: (heartbeat) => this.#beat(heartbeat),
        onError: (error) => this.#lose(error),
      },
    );
  }

  /** Why the replica is behind although its stream is open; undefined if it is not. */
  get outOfStep(): KubeError | undefined {
    const error = outOfStep(this.#state);
    if (!error) return undefined;
    const what = `${formatDataType(this.#options.dataType)} cannot be read from the hub`;
    return new KubeError('Unavailable', `${what}: ${error.message}; it is asked again`, { cause: error });
  }

  /** Resolves when the replica is complete. Rejects with the reason if the stream is refused or lost, or a resync fails. */
  ready(signal: AbortSignal | undefined, deadlineMs: number): Promise<void> {
    if (this.#state.kind === 'synced') return Promise.resolve();
    return new Promise((resolve, reject) => {
      const done = (state: SyncState) => {
        const failed = failureOf(state);
        if (state.kind !== 'synced' && !failed) return;
        stop();
        if (failed) reject(failed);
        else resolve();
      };
      const onAbort = () => {
        stop();
        reject(new KubeError('Canceled', 'the request was canceled', { cause: signal?.reason }));
      };
      const cancel = this.#options.clock.schedule(deadlineMs, () => {
        stop();
        const cause = failureOf(this.#state) ?? outOfStep(this.#state);
        const why = cause ? `: ${cause.message}` : '';
        reject(new KubeError('Timeout', `the hub did not answer over gRPC in time${why}`, { ...(cause && { cause }) }));
      });
      const stop = () => {
        cancel();
        this.#waiting.delete(done);
        signal?.removeEventListener('abort', onAbort);
      };
      this.#waiting.add(done);
      if (this.#state.kind === 'closed') done(this.#state);
      else if (signal?.aborted) onAbort();
      else signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Asks the hub whether this side has the newest: resolves when it has answered, and rejects if it does not or refuses. */
  async probe(signal: AbortSignal | undefined, deadlineMs: number): Promise<void> {
    await this.#options.client.publish(this.#request(), { deadlineMs, ...(signal && { signal }) });
  }

  /** Calls back when the stream is lost; call the result to end. */
  onLoss(listener: (error: KubeError) => void): () => void {
    this.#onLoss.add(listener);
    return () => this.#onLoss.delete(listener);
  }

  close(): void {
    this.#close();
    this.#cancelQuiet();
    this.#step({ type: 'closed' });
    for (const listener of this.#onLoss) listener(closedError());
  }

  #step(event: SyncEvent): void {
    const { clock, random = Math.random } = this.#options;
    const step = nextStep(this.#state, event, random());
    if (!step) return;
    this.#cancelDue();
    this.#state = step.state;
    if (step.dueAfterMs !== undefined) {
      this.#cancelDue = clock.schedule(step.dueAfterMs, () => this.#step({ type: 'due' }));
    }
    if (step.asks) this.#ask();
    for (const waiting of [...this.#waiting]) waiting(this.#state);
  }

  #ask(): void {
    const { client, clock, log, dataType } = this.#options;
    const request = this.#request();
    this.#resyncId = request.id;
    this.#cancelQuiet();
    client.publish(request).then(
      () => this.#completeWhenQuiet(request.id, clock.monotonic()),
      (cause: unknown) => {
        if (this.#resyncId !== request.id) return;
        const error = KubeError.from(cause);
        log.info('a resync failed and is tried again', { dataType: formatDataType(dataType), error });
        this.#step({ type: 'refused', error });
      },
    );
  }

  #request(): CloudEvent {
    const { clusterName, source, dataType, clock, digest } = this.#options;
    const entries = this.replica.list().flatMap(({ object, hubVersion, hubId }) => {
      return hubId && /^\d+$/.test(hubVersion) ? [{ hubId, object, version: BigInt(hubVersion) }] : [];
    });
    return createResyncRequest({ source, now: clock.now() }, dataType, {
      clusterName,
      known: new Map(entries.map(({ hubId, version }) => [hubId, version])),
      ...(digest && { digests: new Map(entries.map(({ hubId, object }) => [hubId, digest(object)])) }),
    });
  }

  /** A server of OCM does not say when it has sent all objects. */
  #completeWhenQuiet(resyncId: string, since: MonotonicTime): void {
    if (this.#resyncId !== resyncId) return;
    const { clock } = this.#options;
    this.#cancelQuiet = clock.schedule(quietMs, () => {
      const now = clock.monotonic();
      const isQuiet = this.#lastEventAt === undefined || msBetween(this.#lastEventAt, now) >= quietMs;
      if (isQuiet || msBetween(since, now) >= maxWaitMs) this.#complete(resyncId);
      else this.#completeWhenQuiet(resyncId, since);
    });
  }

  #complete(resyncId: string): void {
    if (resyncId === '' || this.#resyncId !== resyncId) return;
    this.#resyncId = '';
    this.#cancelQuiet();
    this.#step({ type: 'completed' });
  }

  #receive(event: CloudEvent): void {
    this.#lastEventAt = this.#options.clock.monotonic();
    try {
      this.#options.apply(this.replica, event);
      this.#loss.handled();
    } catch (error) {
      const { log, onUnusable } = this.#options;
      log.warn('an event cannot be used and is dropped', { type: event.type, error });
      if (!onUnusable || !(error instanceof MalformedEvent)) return;
      this.#loss.handled();
      onUnusable(event, error);
    }
  }

  #beat(heartbeat: CloudEvent): void {
    this.#complete(heartbeat.id);
    const { onAnnouncement, log, dataType, clock } = this.#options;
    if (this.#loss.isNew(heartbeat, clock.monotonic())) {
      log.warn('events were lost, and are asked for again', { dataType: formatDataType(dataType) });
      this.#step({ type: 'missed' });
    }
    if (!onAnnouncement) return;
    try {
      const announcement = parseAnnouncement(heartbeat);
      if (announcement) onAnnouncement(announcement);
    } catch (error) {
      log.warn('what the hub announces cannot be read', { error });
    }
  }

  #lose(error: KubeError): void {
    // What the hub says to a resync of a stream that is lost does not count for the next one.
    this.#resyncId = '';
    this.#cancelQuiet();
    this.#step({ type: 'lost', error });
    for (const listener of this.#onLoss) listener(error);
  }
}

const closedError = () => new KubeError('Canceled', 'the connection is closed');

/** What a reader that waits is refused with. */
function failureOf(state: SyncState): KubeError | undefined {
  if (state.kind === 'closed') return closedError();
  return state.kind === 'unsubscribed' || state.kind === 'retrying' ? state.error : undefined;
}
