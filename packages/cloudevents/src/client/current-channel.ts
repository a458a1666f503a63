import type { AccessSource, ClusterAccess, Logger } from '@flotilla/kube';
import { type Observable, Subject } from 'rxjs';
import type { EventChannel } from './event-channel.ts';

/** A channel as long as its credentials are the newest. */
export interface LiveChannel {
  readonly channel: EventChannel;
  /** Aborts when other credentials took over, or when the connection was given up. */
  readonly retired: AbortSignal;
}

interface Entry extends LiveChannel {
  readonly key: string;
  readonly end: AbortController;
  inFlight: number;
}

/**
 * The channel with the newest credentials. A change opens another one; the old one is closed when the publishes on it are done, so that
 * none is lost.
 */
export class CurrentChannel {
  readonly #access: AccessSource;
  readonly #open: (access: ClusterAccess) => EventChannel;
  readonly #log: Logger;
  readonly #changed = new Subject<void>();
  #entry: Entry | undefined;
  #closed = false;
  readonly #watch;

  constructor(access: AccessSource, open: (access: ClusterAccess) => EventChannel, log: Logger) {
    this.#access = access;
    this.#open = open;
    this.#log = log;
    this.#watch = access.changes.subscribe(() => {
      this.current().catch((error: unknown) => this.#log.warn('the changed credentials cannot be used', { error }));
    });
  }

  /** Emits when other credentials took over. */
  get changed(): Observable<void> {
    return this.#changed.asObservable();
  }

  /** The channel for new calls. Rejects if there are no credentials. */
  async current(): Promise<LiveChannel> {
    return this.#currentEntry();
  }

  /** Calls with the newest credentials; the channel stays open until the call is done. */
  async use<T>(call: (channel: EventChannel) => Promise<T>): Promise<T> {
    const entry = await this.#currentEntry();
    entry.inFlight += 1;
    try {
      return await call(entry.channel);
    } finally {
      entry.inFlight -= 1;
      closeIfUnused(entry);
    }
  }

  /** The same for a call that goes on after its answer has begun: the channel stays open until the result is released. */
  async hold(): Promise<LiveChannel & { release(): void }> {
    const entry = await this.#currentEntry();
    entry.inFlight += 1;
    let isHeld = true;
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      entry.inFlight -= 1;
      closeIfUnused(entry);
    };
    return { channel: entry.channel, retired: entry.retired, release };
  }

  /** Gives up a connection that does not answer: the next call opens another one. */
  abandon(channel: EventChannel): void {
    const entry = this.#entry;
    if (entry?.channel !== channel) return;
    this.#entry = undefined;
    entry.end.abort();
    entry.channel.close();
  }

  close(): void {
    this.#closed = true;
    this.#watch.unsubscribe();
    this.#entry?.end.abort();
    this.#entry?.channel.close();
    this.#entry = undefined;
    this.#changed.complete();
  }

  async #currentEntry(): Promise<Entry> {
    const access = await this.#access.current();
    const key = keyOf(access);
    if (this.#entry?.key === key) return this.#entry;
    if (this.#closed) throw new Error('the client is closed');
    const end = new AbortController();
    const entry: Entry = { key, channel: this.#open(access), end, retired: end.signal, inFlight: 0 };
    const previous = this.#entry;
    this.#entry = entry;
    if (previous) {
      previous.end.abort();
      closeIfUnused(previous);
      this.#changed.next();
    }
    return entry;
  }
}

const keyOf = ({ server, ca, tlsServerName, clientCertificate, authorization }: ClusterAccess): string =>
  JSON.stringify([server, ca, tlsServerName, clientCertificate?.certificate, clientCertificate?.key, authorization]);

function closeIfUnused({ retired, inFlight, channel }: Entry): void {
  if (retired.aborted && inFlight === 0) channel.close();
}
