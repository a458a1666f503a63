import { pageSize } from '../scheduler/decision-pages.ts';

/** Keeps clusters on their pages. One for all placements, because what it works with is large. */
export class StablePager {
  /** By id: the number of the run in which the cluster was found to be selected, negative once it has a page. */
  #marks = new Int32Array(64);
  #run = 0;

  /**
   * Cuts sorted clusters into as few pages as they need and leaves each on the page that it is on, so that one cluster more or
   * less changes one page. Others fill the gaps, the first page first. `current` is what page 0, 1, … has now, and a page that
   * stays the same is the same array. Clusters on a page are sorted as they are given.
   */
  pagesOf(
    ids: readonly number[],
    current: (page: number) => readonly number[] | undefined,
  ): readonly (readonly number[])[] {
    const count = Math.max(1, Math.ceil(ids.length / pageSize));
    this.#mark(ids);
    const pages: (readonly number[])[] = [];
    let kept = 0;
    for (let page = 0; page < count; page++) {
      const stays = this.#take(current(page) ?? []);
      kept += stays.length;
      pages.push(stays);
    }
    return kept === ids.length ? pages : this.#fill(pages, ids);
  }

  #mark(ids: readonly number[]): void {
    this.#run += 1;
    for (const id of ids) {
      if (id >= this.#marks.length) {
        const grown = new Int32Array(Math.max(id + 1, this.#marks.length * 2));
        grown.set(this.#marks);
        this.#marks = grown;
      }
      this.#marks[id] = this.#run;
    }
  }

  /** Of the clusters of a page those that are selected and have no page yet. */
  #take(page: readonly number[]): readonly number[] {
    let taken = 0;
    const take = (id: number): boolean => {
      if (this.#marks[id] !== this.#run || taken === pageSize) return false;
      this.#marks[id] = -this.#run;
      taken += 1;
      return true;
    };
    const firstGone = page.findIndex((id) => !take(id));
    if (firstGone === -1) return page;
    return [...page.slice(0, firstGone), ...page.slice(firstGone + 1).filter(take)];
  }

  /** Puts those that have no page yet where there is room. */
  #fill(pages: readonly (readonly number[])[], ids: readonly number[]): readonly (readonly number[])[] {
    const unpaged = ids.filter((id) => this.#marks[id] === this.#run);
    let next = 0;
    return pages.map((page) => {
      const added = unpaged.slice(next, next + pageSize - page.length);
      next += added.length;
      return added.length === 0 ? page : this.#sorted([...page, ...added], ids);
    });
  }

  /** The clusters of a page in the order in which all were given. */
  #sorted(page: readonly number[], ids: readonly number[]): readonly number[] {
    const members = new Set(page);
    return ids.filter((id) => members.has(id));
  }
}
