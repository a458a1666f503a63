import type { WatchMessage } from '../contracts/call.ts';
import type { Change } from '../contracts/storage.ts';

/** Messages that are taken at once. */
export interface Batch {
  readonly messages: readonly WatchMessage[];
  /** About how much memory their objects take. */
  readonly bytes: number;
}

interface InboxOptions {
  /** Changes up to here are dropped from the storage. */
  readonly compactedRevision: () => number;
  readonly maxWatchBacklog: number;
}

interface Waiting {
  readonly message: WatchMessage;
  /** Unset for what is not a change: the first list, and bookmarks. */
  readonly revision?: number;
  readonly bytes: number;
}

/** More messages are taken at once only if they are small: what is taken is in memory until the client has read it. */
const batchBytes = 256 * 1024;

/**
 * Messages between the storage, which never waits, and a client, which may. A client is cut off that is further behind than the limit, or than
 * the history of the storage, so that watches keep no change in memory that the storage has dropped. It resumes, or lists again.
 */
export class Inbox implements AsyncIterable<Batch> {
  readonly #options: InboxOptions;
  #waiting: Waiting[] = [];
  #ended = false;
  #wake = () => {};

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  /** A message that no limit holds for: an object of the first list, or a bookmark. */
  put(message: WatchMessage, bytes = 0): void {
    this.#add({ message, bytes });
  }

  putChange(message: WatchMessage, { revision, bytes }: Change): void {
    const oldest = this.#waiting[0]?.revision;
    const isBehind = oldest !== undefined && oldest <= this.#options.compactedRevision();
    if (isBehind || this.#waiting.length >= this.#options.maxWatchBacklog) {
      this.#waiting = [];
      this.end();
      return;
    }
    this.#add({ message, revision, bytes });
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Batch> {
    while (true) {
      if (this.#waiting.length > 0) yield this.#nextBatch();
      if (this.#waiting.length > 0) continue;
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #add(waiting: Waiting): void {
    if (this.#ended) return;
    this.#waiting.push(waiting);
    this.#wake();
  }

  #nextBatch(): Batch {
    let count = 0;
    let bytes = 0;
    for (; count < this.#waiting.length && (count === 0 || bytes < batchBytes); count++) {
      bytes += this.#waiting[count]?.bytes ?? 0;
    }
    return { messages: this.#waiting.splice(0, count).map(({ message }) => message), bytes };
  }
}
