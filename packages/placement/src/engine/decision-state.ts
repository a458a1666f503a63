import type { ClusterTable } from './cluster-table.ts';
import { DecisionCounts } from './decision-counts.ts';
import { OwnDecisions } from './own-decisions.ts';

/** A page as it is going to be; without clusters if it is going to be deleted. */
export interface PageChange {
  /** The key of the page. */
  readonly page: string;
  /** By their ids. */
  readonly clusters: readonly number[];
}

interface PlacementDecisions {
  /** Ids of clusters by the key of the page, as the server has them. */
  readonly pages: Map<string, readonly number[]>;
  /** The clusters of these pages. */
  readonly stored: OwnDecisions;
  /** While decisions are being written, they count at once, whatever the server still shows. */
  assumed?: { readonly own: OwnDecisions; readonly held: readonly number[] } | undefined;
}

const noDecisions = new OwnDecisions();
const effective = ({ assumed, stored }: PlacementDecisions): OwnDecisions => assumed?.own ?? stored;

/** What every placement of the hub has decided, by the keys of placements and pages. A change costs what changes. */
export class DecisionState {
  readonly counts = new DecisionCounts();
  readonly #clusters: ClusterTable;
  readonly #placements = new Map<string, PlacementDecisions>();
  readonly #placementOfPage = new Map<string, string>();
  readonly #onChange: (placement: string, ids: readonly number[]) => void;

  /** `onChange` is called with the clusters that a placement has decided for or against. */
  constructor(clusters: ClusterTable, onChange: (placement: string, ids: readonly number[]) => void) {
    this.#clusters = clusters;
    this.#onChange = onChange;
  }

  own(placement: string): OwnDecisions {
    const entry = this.#placements.get(placement);
    return entry ? effective(entry) : noDecisions;
  }

  /** The ids of clusters on a page, as the server has it. */
  page(placement: string, page: string): readonly number[] | undefined {
    return this.#placements.get(placement)?.pages.get(page);
  }

  /** Records a page as the server has it. */
  setPage(placement: string, page: string, clusters: readonly string[]): void {
    if (this.#placementOfPage.get(page) !== placement) this.deletePage(page);
    this.#placementOfPage.set(page, placement);
    const entry = this.#entry(placement);
    const before = entry.pages.get(page) ?? [];
    // Held before those of the page as it was are released, so that an id stays the same.
    const ids = clusters.map((name) => this.#clusters.hold(name));
    entry.pages.set(page, ids);
    this.#store(placement, entry, before, ids);
  }

  deletePage(page: string): void {
    const placement = this.#placementOfPage.get(page);
    const entry = placement === undefined ? undefined : this.#placements.get(placement);
    if (placement === undefined || !entry) return;
    const before = entry.pages.get(page) ?? [];
    this.#placementOfPage.delete(page);
    entry.pages.delete(page);
    this.#store(placement, entry, before, []);
    this.#forgetEmpty(placement, entry);
  }

  /** Counts pages as they are going to be until `release`, so that others do not decide on what is being replaced. */
  assume(placement: string, changes: readonly PageChange[]): void {
    const entry = this.#entry(placement);
    const own = entry.stored.copy();
    const held: number[] = [];
    for (const { page, clusters } of changes) {
      for (const id of entry.pages.get(page) ?? []) own.set(id, own.timesOf(id) - 1);
      for (const id of clusters) {
        own.set(id, own.timesOf(id) + 1);
        held.push(this.#clusters.hold(this.#clusters.nameOf(id)));
      }
    }
    this.#count(placement, effective(entry), own, () => {
      this.#forgetAssumed(entry);
      entry.assumed = { own, held };
    });
  }

  /** Goes back to what the server has. */
  release(placement: string): void {
    const entry = this.#placements.get(placement);
    if (!entry?.assumed) return;
    const { own, held } = entry.assumed;
    this.#count(placement, own, entry.stored, () => {
      entry.assumed = undefined;
    });
    for (const id of held) this.#clusters.release(id);
    this.#forgetEmpty(placement, entry);
  }

  #entry(placement: string): PlacementDecisions {
    let entry = this.#placements.get(placement);
    if (!entry) {
      entry = { pages: new Map(), stored: new OwnDecisions() };
      this.#placements.set(placement, entry);
    }
    return entry;
  }

  #forgetAssumed(entry: PlacementDecisions): void {
    for (const id of entry.assumed?.held ?? []) this.#clusters.release(id);
    entry.assumed = undefined;
  }

  #forgetEmpty(placement: string, { pages, assumed }: PlacementDecisions): void {
    if (pages.size === 0 && !assumed) this.#placements.delete(placement);
  }

  /** Takes the clusters of a page for those that were on it, which are released. */
  #store(placement: string, entry: PlacementDecisions, before: readonly number[], after: readonly number[]): void {
    const changes = new Map<number, number>();
    for (const id of before) changes.set(id, (changes.get(id) ?? 0) - 1);
    for (const id of after) changes.set(id, (changes.get(id) ?? 0) + 1);
    const decided: number[] = [];
    for (const [id, by] of changes) {
      if (by === 0) continue;
      const times = entry.stored.timesOf(id);
      entry.stored.set(id, times + by);
      if (entry.assumed) continue;
      this.counts.change(id, by);
      if (times === 0 || times + by === 0) decided.push(id);
    }
    if (decided.length > 0) this.#onChange(placement, decided);
    for (const id of before) this.#clusters.release(id);
  }

  /** Counts other decisions of a placement than before; `use` makes them the ones that count. */
  #count(placement: string, before: OwnDecisions, after: OwnDecisions, use: () => void): void {
    const decided: number[] = [];
    before.visitDifferences(after, (id, times, timesAfter) => {
      this.counts.change(id, timesAfter - times);
      if (times === 0 || timesAfter === 0) decided.push(id);
    });
    use();
    if (decided.length > 0) this.#onChange(placement, decided);
  }
}
