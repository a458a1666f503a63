import { type Clock, KubeError, type Logger } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import type { CloudEventsClient } from '../client/client.ts';
import { type HubAnnouncement, parseAnnouncement } from '../event/announcement.ts';
import type { CloudEvent } from '../event/cloud-event.ts';
import { type DataType, formatDataType } from '../event/data-type.ts';
import { MalformedEvent } from '../event/malformed.ts';
import { createResyncRequest } from '../resync/resync-request.ts';
import { EventLoss } from './event-loss.ts';
import { Replica } from './replica.ts';

/** How events of a kind change its replica. */
export interface SyncedKindOptions<T extends KubeObject> {
  readonly client: CloudEventsClient;
  readonly clusterName: string;
  readonly source: string;
  readonly dataType: DataType;
  readonly clock: Clock;
  readonly log: Logger;
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

/** What was sent and lost on the way is asked for at the next connect, and this often. */
const resyncEveryMs = 10 * 60_000;

type State = { readonly kind: 'syncing' } | { readonly kind: 'synced' } | { readonly kind: 'failed'; error: KubeError };

/** A replica that follows the hub: it subscribes, and asks for what it does not have each time the stream opens. */
export class SyncedKind<T extends KubeObject> {
  readonly replica = new Replica<T>();
  readonly #options: SyncedKindOptions<T>;
  readonly #close: () => void;
  readonly #waiting = new Set<(state: State) => void>();
  readonly #onLoss = new Set<(error: KubeError) => void>();
  #state: State = { kind: 'syncing' };
  readonly #loss = new EventLoss();
  #resyncId = '';
  #cancelQuiet = () => {};
  #cancelResync = () => {};
  #lastEventAt = 0;

  constructor(options: SyncedKindOptions<T>) {
    this.#options = options;
    const { client, clusterName, dataType } = options;
    this.#close = client.subscribe(
      { clusterName, dataType },
      {
        onSubscribed: () => {
          this.#loss.reset();
          this.#resync();
        },
        onEvent: (event) => this.#receive(event),
        onHeartbeat: (heartbeat) => this.#beat(heartbeat),
        onError: (error) => this.#fail(error),
      },
    );
  }

  /** Resolves when the replica is complete. Rejects with the reason if the stream is refused or lost. */
  ready(signal: AbortSignal | undefined, deadlineMs: number): Promise<void> {
    if (this.#state.kind === 'synced') return Promise.resolve();
    return new Promise((resolve, reject) => {
      const done = (state: State) => {
        if (state.kind === 'syncing') return;
        stop();
        if (state.kind === 'synced') resolve();
        else reject(state.error);
      };
      const onAbort = () => {
        stop();
        reject(new KubeError('Canceled', 'the request was canceled', { cause: signal?.reason }));
      };
      const cancel = this.#options.clock.schedule(deadlineMs, () =>
        done({ kind: 'failed', error: new KubeError('Timeout', 'the hub did not answer over gRPC in time') }),
      );
      const stop = () => {
        cancel();
        this.#waiting.delete(done);
        signal?.removeEventListener('abort', onAbort);
      };
      this.#waiting.add(done);
      if (signal?.aborted) onAbort();
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
    this.#cancelResync();
    this.#fail(new KubeError('Canceled', 'the connection is closed'));
  }

  #resync(): void {
    this.#enter({ kind: 'syncing' });
    const request = this.#request();
    this.#resyncId = request.id;
    this.#options.client.publish(request).then(
      () => this.#finishWhenQuiet(request.id, this.#options.clock.monotonic()),
      (error: unknown) => this.#fail(KubeError.from(error)),
    );
    this.#resyncLater();
  }

  /** While the stream is open: what comes is applied as any other event, and no caller waits for it. */
  #resyncLater(): void {
    const { clock } = this.#options;
    this.#cancelResync();
    this.#cancelResync = clock.schedule(resyncEveryMs * (0.9 + Math.random() / 5), () => {
      if (this.#state.kind !== 'synced') return;
      this.#askQuietly();
      this.#resyncLater();
    });
  }

  #askQuietly(): void {
    const { client, log } = this.#options;
    client.publish(this.#request()).catch((error: unknown) => log.debug('a resync failed', { error }));
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
  #finishWhenQuiet(resyncId: string, since: number): void {
    const { clock } = this.#options;
    this.#cancelQuiet = clock.schedule(quietMs, () => {
      if (this.#state.kind !== 'syncing' || this.#resyncId !== resyncId) return;
      const isQuiet = clock.monotonic() - this.#lastEventAt >= quietMs;
      if (isQuiet || clock.monotonic() - since >= maxWaitMs) this.#enter({ kind: 'synced' });
      else this.#finishWhenQuiet(resyncId, since);
    });
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
    if (heartbeat.id === this.#resyncId) this.#enter({ kind: 'synced' });
    const { onAnnouncement, log, dataType, clock } = this.#options;
    if (this.#loss.isNew(heartbeat, clock.monotonic())) {
      log.warn('events were lost, and are asked for again', { dataType: formatDataType(dataType) });
      this.#askQuietly();
    }
    if (!onAnnouncement) return;
    try {
      const announcement = parseAnnouncement(heartbeat);
      if (announcement) onAnnouncement(announcement);
    } catch (error) {
      log.warn('what the hub announces cannot be read', { error });
    }
  }

  #fail(error: KubeError): void {
    this.#enter({ kind: 'failed', error });
    for (const listener of this.#onLoss) listener(error);
  }

  #enter(state: State): void {
    this.#state = state;
    for (const waiting of [...this.#waiting]) waiting(state);
  }
}
