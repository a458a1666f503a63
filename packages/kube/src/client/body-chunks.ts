import { finished, type Readable } from 'node:stream';

interface Waiter {
  resolve(result: IteratorResult<string, void>): void;
  reject(error: unknown): void;
}

/** Characters that may wait for a reader; the server is made to wait beyond. */
const most = 2 ** 20;

/**
 * The text of a body as it comes. One promise for each chunk: the iterator of Node's streams with a generator around it takes a dozen
 * promises and ticks, and most of what a heartbeat costs a hub is to hear of it.
 */
export class BodyChunks implements AsyncIterableIterator<string, void, undefined> {
  readonly #body: Readable;
  readonly #onReturn: () => void;
  readonly #waiters: Waiter[] = [];
  #text = '';
  /** Set when no more will come. */
  #end: { readonly error: unknown } | undefined;

  /** `failureOf` says what the end of the body means: undefined for a good one. `onReturn` is called when the reader leaves early. */
  constructor(body: Readable, failureOf: (cause: unknown) => unknown, onReturn: () => void) {
    this.#body = body;
    this.#onReturn = onReturn;
    body.setEncoding('utf8');
    body.on('data', (chunk: string) => this.#take(chunk));
    finished(body, { writable: false }, (cause) => this.#finish(failureOf(cause ?? undefined)));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<string, void>> {
    if (this.#text !== '') {
      const value = this.#text;
      this.#text = '';
      this.#body.resume();
      return Promise.resolve({ done: false, value });
    }
    if (!this.#end) return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
    const { error } = this.#end;
    // Thrown once, as by a generator.
    this.#end = { error: undefined };
    return error === undefined ? Promise.resolve(ended) : Promise.reject(error);
  }

  return(): Promise<IteratorResult<string, void>> {
    this.#onReturn();
    this.#text = '';
    this.#finish(undefined);
    return Promise.resolve(ended);
  }

  #take(chunk: string): void {
    const waiter = this.#waiters.shift();
    if (waiter) {
      waiter.resolve({ done: false, value: chunk });
      return;
    }
    this.#text += chunk;
    if (this.#text.length >= most) this.#body.pause();
  }

  #finish(error: unknown): void {
    if (this.#end) return;
    const first = this.#waiters.shift();
    this.#end = { error: first ? undefined : error };
    if (error === undefined) first?.resolve(ended);
    else first?.reject(error);
    for (const waiter of this.#waiters.splice(0)) waiter.resolve(ended);
  }
}

const ended: IteratorReturnResult<void> = { done: true, value: undefined };
