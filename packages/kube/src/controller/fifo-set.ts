/** A first-in first-out queue without duplicates; every operation takes constant time on average. */
export class FifoSet<T> {
  readonly #items = new Set<T>();
  /**
   * Kept between calls: a fresh iterator would walk again over all slots that earlier removals left empty at the front,
   * which makes emptying a queue of n take n² steps.
   */
  #front: Iterator<T> | undefined;

  get size(): number {
    return this.#items.size;
  }

  add(item: T): void {
    this.#items.add(item);
  }

  delete(item: T): boolean {
    return this.#items.delete(item);
  }

  shift(): T | undefined {
    if (this.#items.size === 0) {
      this.#front = undefined;
      return undefined;
    }
    this.#front ??= this.#items.values();
    const next = this.#front.next();
    if (next.done) {
      // An iterator that once reached the end never sees what was added later.
      this.#front = undefined;
      return this.shift();
    }
    this.#items.delete(next.value);
    return next.value;
  }
}
