import type { ClusterView } from '../scheduler/cluster-view.ts';
import { BitSet } from './bit-set.ts';

/** Is called when the answer of a column for a cluster changed. */
export type FlipListener = (id: number) => void;

/** A test of clusters that placements share, and its answer for each cluster until the cluster changes. */
export class Column {
  readonly bits = new BitSet();
  /** How many clusters pass. */
  size = 0;
  readonly listeners = new Set<FlipListener>();
  readonly test: (cluster: ClusterView) => boolean;
  /** Whether the test reads more than labels and claims. */
  readonly readsObject: boolean;
  readonly readsScores: boolean;

  constructor(
    test: (cluster: ClusterView) => boolean,
    {
      readsObject = false,
      readsScores = false,
    }: { readonly readsObject?: boolean; readonly readsScores?: boolean } = {},
  ) {
    this.test = test;
    this.readsObject = readsObject;
    this.readsScores = readsScores;
  }

  /** Tests a cluster again; without a view, it is gone. */
  update(id: number, view: ClusterView | undefined): void {
    this.put(id, view !== undefined && this.test(view));
  }

  /** Sets the answer for a cluster. */
  protected put(id: number, passes: boolean): void {
    if (!this.bits.set(id, passes)) return;
    this.size += passes ? 1 : -1;
    for (const listener of this.listeners) listener(id);
  }
}

/** Columns by the text of their test: placements with the same selector share one. */
export class ColumnCache<C> {
  readonly #columns = new Map<string, { readonly column: C; users: number }>();

  /** The column of a text, made if no user has it yet. */
  acquire(text: string, make: () => C): C {
    const known = this.#columns.get(text);
    if (known) {
      known.users += 1;
      return known.column;
    }
    const column = make();
    this.#columns.set(text, { column, users: 1 });
    return column;
  }

  /** Gives a column back; it is forgotten with its last user, and then returned. */
  release(text: string): C | undefined {
    const known = this.#columns.get(text);
    if (!known) return undefined;
    known.users -= 1;
    if (known.users > 0) return undefined;
    this.#columns.delete(text);
    return known.column;
  }

  *[Symbol.iterator](): IterableIterator<C> {
    for (const { column } of this.#columns.values()) yield column;
  }
}
