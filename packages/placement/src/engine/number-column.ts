/** A number for each id of a cluster. Grows as needed. */
export class NumberColumn {
  readonly #empty: number;
  #values: Float64Array;
  /** Changes with each value. */
  version = 0;

  /** `empty` is the value of ids that have none. */
  constructor(empty: number) {
    this.#empty = empty;
    this.#values = new Float64Array(16).fill(empty);
  }

  get(id: number): number {
    return this.#values[id] ?? this.#empty;
  }

  /** The values of the ids below `size`, for loops over many of them. Good until the next `set`. */
  valuesBelow(size: number): Float64Array {
    if (size > this.#values.length) this.#grow(size);
    return this.#values;
  }

  set(id: number, value: number): void {
    if (Object.is(this.get(id), value)) return;
    if (id >= this.#values.length) this.#grow(id + 1);
    this.#values[id] = value;
    this.version += 1;
  }

  #grow(size: number): void {
    const grown = new Float64Array(Math.max(size, this.#values.length * 2)).fill(this.#empty);
    grown.set(this.#values);
    this.#values = grown;
  }
}
