import type { KubeError } from '@flotilla/kube';
import type { KubeStream } from '@flotilla/kube/transport';

/** A watch whose lines are written by this process. */
export class WatchStream implements KubeStream {
  readonly status = 200;
  readonly headers = { 'content-type': 'application/json' };
  /** The streams behind it have heartbeats. */
  readonly monitored = true;
  readonly #onClose: () => void;
  readonly #lines: string[] = [];
  #ended = false;
  #error: KubeError | undefined;
  #wake = () => {};

  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  write(event: object): void {
    if (this.#ended) return;
    this.#lines.push(`${JSON.stringify(event)}\n`);
    this.#wake();
  }

  /** Ends it for its reader, who sees the error if there is one. */
  end(error?: KubeError): void {
    this.#ended = true;
    this.#error = error;
    this.#wake();
  }

  close(): void {
    this.#lines.length = 0;
    this.end();
    this.#onClose();
  }

  get chunks(): AsyncIterable<string> {
    return this.#read();
  }

  async *#read(): AsyncGenerator<string> {
    try {
      while (true) {
        for (let line = this.#lines.shift(); line !== undefined; line = this.#lines.shift()) yield line;
        if (this.#error) throw this.#error;
        if (this.#ended) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      this.#onClose();
    }
  }
}
