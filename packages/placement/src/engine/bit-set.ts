/** A set of small integers: ids of clusters. Grows as needed. */
export class BitSet {
  #words = new Uint32Array(8);

  has(id: number): boolean {
    return (((this.#words[id >>> 5] ?? 0) >>> (id & 31)) & 1) === 1;
  }

  /** Adds or removes an id; false if that changed nothing. */
  set(id: number, member: boolean): boolean {
    if (this.has(id) === member) return false;
    const word = id >>> 5;
    if (word >= this.#words.length) this.#grow(word + 1);
    this.#words[word] = (this.#words[word] ?? 0) ^ (1 << (id & 31));
    return true;
  }

  /** Whether another set has the same ids. */
  equals(other: BitSet): boolean {
    const length = Math.max(this.#words.length, other.#words.length);
    for (let index = 0; index < length; index++) {
      if ((this.#words[index] ?? 0) !== (other.#words[index] ?? 0)) return false;
    }
    return true;
  }

  copy(): BitSet {
    const copy = new BitSet();
    copy.#words = this.#words.slice();
    return copy;
  }

  clear(): void {
    this.#words.fill(0);
  }

  /** Adds all ids of another set. */
  or(other: BitSet): void {
    const words = other.#words;
    if (words.length > this.#words.length) this.#grow(words.length);
    for (let index = 0; index < words.length; index++) {
      this.#words[index] = (this.#words[index] ?? 0) | (words[index] ?? 0);
    }
  }

  /** Keeps only the ids that another set has, too. */
  and(other: BitSet): void {
    const words = other.#words;
    for (let index = 0; index < this.#words.length; index++) {
      this.#words[index] = (this.#words[index] ?? 0) & (words[index] ?? 0);
    }
  }

  /** Removes the ids that another set has. */
  andNot(other: BitSet): void {
    const words = other.#words;
    for (let index = 0; index < this.#words.length; index++) {
      this.#words[index] = (this.#words[index] ?? 0) & ~(words[index] ?? 0);
    }
  }

  /** Of these ids those that are in the set, in their order. */
  filter(ids: readonly number[]): number[] {
    const words = this.#words;
    const kept: number[] = [];
    for (const id of ids) if ((((words[id >>> 5] ?? 0) >>> (id & 31)) & 1) === 1) kept.push(id);
    return kept;
  }

  /** Calls `visit` with each id that only one of two sets has. */
  visitDifferences(other: BitSet, visit: (id: number) => void): void {
    const length = Math.max(this.#words.length, other.#words.length);
    for (let index = 0; index < length; index++) {
      let word = (this.#words[index] ?? 0) ^ (other.#words[index] ?? 0);
      while (word !== 0) {
        const bit = 31 - Math.clz32(word & -word);
        visit(index * 32 + bit);
        word &= word - 1;
      }
    }
  }

  /** Calls `visit` with each id, in ascending order. */
  visitAll(visit: (id: number) => void): void {
    this.visitDifferences(none, visit);
  }

  #grow(words: number): void {
    const grown = new Uint32Array(Math.max(words, this.#words.length * 2));
    grown.set(this.#words);
    this.#words = grown;
  }
}

const none = new BitSet();
