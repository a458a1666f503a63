import type { Change } from '../contracts/storage.ts';

/** The changes of one resource since its last compaction, in revision order. */
export class History {
  #changes: Change[] = [];
  #bytes = 0;
  #compactedRevision = 0;

  /** About how much memory the changes take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Changes up to here are gone because there were too many bytes. */
  get compactedRevision(): number {
    return this.#compactedRevision;
  }

  add(change: Change): void {
    this.#changes.push(change);
    this.#bytes += change.bytes;
  }

  /** A copy of the changes after a revision. */
  after(revision: number): Change[] {
    return this.#changes.slice(this.#firstAfter(revision));
  }

  /** Drops the changes up to a revision. */
  compact(revision: number): void {
    this.#drop(this.#firstAfter(revision));
  }

  /** Drops the oldest changes until half of the bytes are left. */
  halve(): void {
    const wanted = this.#bytes / 2;
    let dropped = 0;
    for (let left = this.#bytes; left > wanted; dropped++) left -= this.#changes[dropped]?.bytes ?? 0;
    this.#compactedRevision = this.#changes[dropped - 1]?.revision ?? this.#compactedRevision;
    this.#drop(dropped);
  }

  #drop(count: number): void {
    for (const { bytes } of this.#changes.splice(0, count)) this.#bytes -= bytes;
  }

  /** Index of the first change after a revision. */
  #firstAfter(revision: number): number {
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
