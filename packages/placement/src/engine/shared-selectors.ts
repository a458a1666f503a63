import type { PlacementPredicate, PlacementToleration } from '@flotilla/api-types';
import type { Clock, WallTime } from '@flotilla/kube/clock';
import { semanticEqual } from '@flotilla/kube/meta';
import { type CelSelectorOptions, type CelSelectors, createCelSelectors } from '../scheduler/cel-selector.ts';
import type { ClusterView } from '../scheduler/cluster-view.ts';
import { compilePredicate, type Predicate } from '../scheduler/predicate.ts';
import type { ClusterTable } from './cluster-table.ts';
import { Column, ColumnCache } from './column.ts';
import { ExpressionColumn } from './expression-column.ts';
import { PredicateIndex } from './predicate-index.ts';
import { TolerationColumn } from './toleration-column.ts';

interface PredicateColumn {
  readonly column: Column;
  readonly predicate: Predicate;
}

/** The selectors that one placement uses, until it gives them back. */
export interface SelectorLease {
  /** Throws MisconfiguredError. */
  predicate(predicate: PlacementPredicate): PredicateColumn;
  tolerations(tolerations: readonly PlacementToleration[]): TolerationColumn;
  release(): void;
}

/** Options of shared selectors. */
interface SharedSelectorsOptions extends CelSelectorOptions {
  readonly clock: Pick<Clock, 'schedule'>;
}

/** The selectors of all placements with their answers for all clusters. Each distinct one is there once, or once for each namespace. */
export class SharedSelectors {
  readonly #clusters: ClusterTable;
  readonly #options: SharedSelectorsOptions;
  readonly #predicates = new ColumnCache<PredicateColumn>();
  readonly #index = new PredicateIndex();
  readonly #tolerations = new ColumnCache<TolerationColumn>();
  /** Made for the first expression: most hubs have none. */
  #cel: CelSelectors | undefined;

  constructor(clusters: ClusterTable, options: SharedSelectorsOptions) {
    this.#clusters = clusters;
    this.#options = options;
  }

  /** For a placement of a namespace. */
  lease(now: WallTime, namespace: string): SelectorLease {
    const releases: (() => void)[] = [];
    return {
      predicate: (predicate) => {
        // Namespaces take turns with expressions that take long, and so do not share them.
        const owner = predicate.requiredClusterSelector?.celSelector ? namespace : '';
        const text = JSON.stringify([owner, predicate]);
        const column = this.#predicates.acquire(text, () => this.#compile(predicate, owner));
        releases.push(() => {
          const forgotten = this.#predicates.release(text);
          if (!forgotten) return;
          this.#index.delete(forgotten);
          if (forgotten.column instanceof ExpressionColumn) forgotten.column.close();
        });
        return column;
      },
      tolerations: (tolerations) => {
        const text = JSON.stringify(tolerations);
        releases.push(() => this.#tolerations.release(text));
        return this.#tolerations.acquire(text, () => this.#fill(tolerations, now));
      },
      release() {
        for (const release of releases.splice(0)) release();
      },
    };
  }

  /** Tests a cluster again where a selector reads what changed. */
  updateCluster(id: number, before: ClusterView | undefined, after: ClusterView | undefined, now: WallTime): void {
    if (!semanticEqual(before?.taints, after?.taints)) {
      for (const column of this.#tolerations) column.update(id, after, now);
    }
    const isChanged = !before || !after || !sameValues(before, after);
    for (const column of this.#index.columnsFor(before?.labels, after?.labels)) {
      if (isChanged || column.readsObject) column.update(id, after);
    }
  }

  /** Tests a cluster again where an expression may read scores. */
  updateScores(id: number): void {
    const view = this.#clusters.view(id);
    for (const column of this.#index.columnsFor(view?.labels, view?.labels)) {
      if (column.readsScores) column.update(id, view);
    }
  }

  advance(before: WallTime, now: WallTime): void {
    for (const column of this.#tolerations) column.advance(before, now, (id) => this.#clusters.viewOf(id));
  }

  #compile(predicate: PlacementPredicate, owner: string): PredicateColumn {
    const cel = () => {
      this.#cel ??= createCelSelectors(this.#options);
      return this.#cel;
    };
    const compiled = compilePredicate(predicate, cel, owner && `namespace ${owner}`);
    const { expressions, readsScores } = compiled;
    const column = expressions
      ? new ExpressionColumn(this.#clusters, expressions, { readsScores, clock: this.#options.clock })
      : new Column((view) => compiled.matchesLabels(view));
    if (!expressions) for (const id of this.#clusters.ids) column.update(id, this.#clusters.view(id));
    const shared = { column, predicate: compiled };
    this.#index.add(shared);
    return shared;
  }

  #fill(tolerations: readonly PlacementToleration[], now: WallTime): TolerationColumn {
    const column = new TolerationColumn(tolerations);
    for (const id of this.#clusters.ids) column.update(id, this.#clusters.view(id), now);
    return column;
  }
}

/** Whether two views have the same labels and claims. */
export const sameValues = (a: ClusterView, b: ClusterView): boolean =>
  semanticEqual(a.labels, b.labels) && semanticEqual(a.claims, b.claims);
