/** A number for each id of a cluster. Grows as needed. */
export class NumberColumn {
  readonly #empty: number;
  #values: Float64Array;

  /** `empty` is the value of ids that have none. */
  constructor(empty: number) {
    this.#empty = empty;
    this.#values = new Float64Array(16).fill(empty);
  }

  get(id: number): number {
    return this.#values[id] ?? this.#empty;
  }

  set(id: number, value: number): void {
    if (id >= this.#values.length) {
      if (value === this.#empty) return;
      const grown = new Float64Array(Math.max(id + 1, this.#values.length * 2)).fill(this.#empty);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[id] = value;
  }
}
