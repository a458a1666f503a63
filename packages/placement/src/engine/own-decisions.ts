import { BitSet } from './bit-set.ts';

/** The clusters in the decisions of one placement, by their ids. */
export class OwnDecisions {
  readonly bits = new BitSet();
  /** Of those that are there more than once, how often: only while pages are being rewritten. */
  readonly #repeated = new Map<number, number>();

  has(id: number): boolean {
    return this.bits.has(id);
  }

  timesOf(id: number): number {
    if (!this.bits.has(id)) return 0;
    return this.#repeated.size === 0 ? 1 : (this.#repeated.get(id) ?? 1);
  }

  set(id: number, times: number): void {
    this.bits.set(id, times > 0);
    if (times > 1) this.#repeated.set(id, times);
    else if (this.#repeated.size > 0) this.#repeated.delete(id);
  }

  visitAll(visit: (id: number, times: number) => void): void {
    if (this.#repeated.size === 0) this.bits.visitAll((id) => visit(id, 1));
    else this.bits.visitAll((id) => visit(id, this.timesOf(id)));
  }

  /** Calls `visit` with each id that counts differently in another. */
  visitDifferences(other: OwnDecisions, visit: (id: number, times: number, otherTimes: number) => void): void {
    this.bits.visitDifferences(other.bits, (id) => visit(id, this.timesOf(id), other.timesOf(id)));
    if (this.#repeated.size === 0 && other.#repeated.size === 0) return;
    for (const id of new Set([...this.#repeated.keys(), ...other.#repeated.keys()])) {
      const isInBoth = this.has(id) && other.has(id);
      if (isInBoth && this.timesOf(id) !== other.timesOf(id)) visit(id, this.timesOf(id), other.timesOf(id));
    }
  }

  /** Whether a cluster is there more than once. */
  get hasRepeated(): boolean {
    return this.#repeated.size > 0;
  }

  copy(): OwnDecisions {
    const copy = new OwnDecisions();
    copy.bits.or(this.bits);
    for (const [id, times] of this.#repeated) copy.#repeated.set(id, times);
    return copy;
  }
}
