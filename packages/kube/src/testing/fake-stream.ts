import type { KubeStream } from '../client/transport.ts';
import { KubeError } from '../errors/kube-error.ts';

/** A stream whose chunks a test pushes by hand. */
export class FakeStream implements KubeStream {
  readonly status = 200;
  readonly headers: Readonly<Record<string, string>> = {};
  readonly monitored = true;
  readonly chunks: AsyncIterable<string>;
  closed = false;
  readonly #queue: string[] = [];
  #failure: KubeError | undefined;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(signal?: AbortSignal) {
    this.chunks = this.#read();
    const cancel = () => this.fail(new KubeError('Canceled', 'the watch was canceled', { cause: signal?.reason }));
    if (signal?.aborted) cancel();
    else signal?.addEventListener('abort', cancel, { once: true });
  }

  push(chunk: string): void {
    this.#queue.push(chunk);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  fail(error: KubeError): void {
    this.#failure ??= error;
    this.#wake?.();
  }

  close(): void {
    this.closed = true;
    this.end();
  }

  async *#read(): AsyncGenerator<string, void, undefined> {
    for (;;) {
      const chunk = this.#queue.shift();
      if (chunk !== undefined) yield chunk;
      else if (this.#failure) throw this.#failure;
      else if (this.#ended) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
