import { setImmediate } from 'node:timers';

/** Units of CEL that all rules of the process may cost before the event loop turns: a few milliseconds. */
const unitsPerTurn = 20_000;

/** What is left of one turn of the event loop for rules that are evaluated in it. */
export class Turn {
  #left = unitsPerTurn;
  #isEnding = false;

  /** Whether something that costs up to this may begin. */
  has(units: number): boolean {
    return this.#left >= units;
  }

  /** Takes what something did cost. */
  spend(units: number): void {
    this.#left -= units;
    if (this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(() => {
      this.#isEnding = false;
      this.#left = unitsPerTurn;
    }).unref();
  }

  /** Returns when there is time for something that costs up to this. */
  async whenFree(units: number): Promise<void> {
    while (!this.has(Math.min(units, unitsPerTurn))) await new Promise((resolve) => setImmediate(resolve));
  }
}
