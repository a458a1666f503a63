import type { OwnDecisions } from './own-decisions.ts';

/** How many decisions name each cluster, over all placements, by the ids of clusters. */
export class DecisionCounts {
  readonly #counts: number[] = [];
  /** How many clusters have a count, by count. That of 0 is not kept. */
  readonly #histogram: number[] = [];

  of(id: number): number {
    return this.#counts[id] ?? 0;
  }

  change(id: number, by: number): void {
    const before = this.of(id);
    const after = before + by;
    while (this.#counts.length <= id) this.#counts.push(0);
    this.#counts[id] = after;
    while (this.#histogram.length <= after) this.#histogram.push(0);
    if (before > 0) this.#histogram[before] = (this.#histogram[before] ?? 0) - 1;
    if (after > 0) this.#histogram[after] = (this.#histogram[after] ?? 0) + 1;
    while (this.#histogram.length > 1 && this.#histogram.at(-1) === 0) this.#histogram.pop();
  }

  /** The highest count when the decisions of one placement are left out. */
  highestWithout(own: OwnDecisions): number {
    const highest = this.#histogram.length - 1;
    if (highest <= 0) return 0;
    if (own.hasRepeated) return this.#highestWithoutRepeated(own);
    let ownAtTop = 0;
    own.visitAll((id) => {
      if (this.#counts[id] === highest) ownAtTop += 1;
    });
    // Without their decision by this placement they have one less, and no cluster has more.
    return (this.#histogram[highest] ?? 0) > ownAtTop ? highest : highest - 1;
  }

  #highestWithoutRepeated(own: OwnDecisions): number {
    const histogram = [...this.#histogram];
    own.visitAll((id, times) => {
      const count = this.of(id);
      histogram[count] = (histogram[count] ?? 0) - 1;
      histogram[count - times] = (histogram[count - times] ?? 0) + 1;
    });
    return Math.max(
      0,
      histogram.findLastIndex((clusters) => clusters > 0),
    );
  }
}
