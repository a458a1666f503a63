/** Lets so many go at once. Of the others each sender has the next turn in turn, so that one with many of them delays another by one at most. */
export class Turns {
  readonly #max: number;
  /** By sender, in the order of their next turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Call the result when the turn is over. */
  async take(sender: string): Promise<() => void> {
    if (this.#taken < this.#max) this.#taken += 1;
    else await new Promise<void>((resolve) => this.#wait(sender, resolve));
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const next = this.#next();
      if (next) next();
      else this.#taken -= 1;
    };
  }

  #wait(sender: string, resolve: () => void): void {
    const before = this.#waiting.get(sender);
    if (before) before.push(resolve);
    else this.#waiting.set(sender, [resolve]);
  }

  #next(): (() => void) | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [sender, waiting] = first;
    const next = waiting.shift();
    this.#waiting.delete(sender);
    if (waiting.length > 0) this.#waiting.set(sender, waiting);
    return next;
  }
}
