import { labelText } from '../scheduler/selectors.ts';
import type { Column } from './column.ts';

type Labels = Readonly<Record<string, string>>;

/** What the index needs of a predicate. */
export interface IndexedPredicate {
  readonly column: Column;
  readonly predicate: { readonly labels: readonly string[] | undefined };
}

/**
 * Predicates by the labels that they ask for: a cluster that has none of the labels of a predicate does not match it, and need not
 * be tested. So a change of a cluster costs what its own labels concern, however many selectors there are.
 */
export class PredicateIndex {
  readonly #byLabel = new Map<string, Set<IndexedPredicate>>();
  /** Predicates that any cluster may match. */
  readonly #others = new Set<IndexedPredicate>();

  add(predicate: IndexedPredicate): void {
    const { labels } = predicate.predicate;
    if (!labels) this.#others.add(predicate);
    for (const label of labels ?? []) {
      const known = this.#byLabel.get(label);
      if (known) known.add(predicate);
      else this.#byLabel.set(label, new Set([predicate]));
    }
  }

  delete(predicate: IndexedPredicate): void {
    this.#others.delete(predicate);
    for (const label of predicate.predicate.labels ?? []) {
      const known = this.#byLabel.get(label);
      if (known?.delete(predicate) && known.size === 0) this.#byLabel.delete(label);
    }
  }

  /** The columns of predicates that a cluster may match, or may have matched before its labels changed. */
  columnsFor(before: Labels = {}, after: Labels = {}): ReadonlySet<Column> {
    const columns = new Set<Column>();
    for (const { column } of this.#others) columns.add(column);
    for (const labels of before === after ? [after] : [before, after]) {
      for (const [key, value] of Object.entries(labels)) {
        for (const { column } of this.#byLabel.get(labelText(key, value)) ?? []) columns.add(column);
      }
    }
    return columns;
  }
}
