/**
 * How many bytes of answers may be in memory while they arrive, of all requests of one transport together. A server that sends without
 * end, or much more than was compressed, would take the memory of all others that this process talks to.
 */
export class AnswerBudget {
  readonly maxBytes: number;
  #held = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** Counts bytes that have arrived. False if there is no room for them; they count all the same until they are released. */
  take(bytes: number): boolean {
    this.#held += bytes;
    return this.#held <= this.maxBytes;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }
}
