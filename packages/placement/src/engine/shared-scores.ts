import type { Prioritizer } from '../scheduler/prioritizers.ts';
import type { BitSet } from './bit-set.ts';
import type { ClusterTable } from './cluster-table.ts';
import type { ScoreTable } from './score-table.ts';
import type { Totals } from './scoring.ts';

interface FeasibleClusters {
  readonly bits: BitSet;
  readonly ids: readonly number[];
}

interface KnownTotals {
  readonly version: number;
  readonly totals: Totals;
}

/** What scores are made of that do not depend on the placement. */
interface ScoreSources {
  readonly clusters: ClusterTable;
  readonly scores: ScoreTable;
  readonly now: number;
}

/** Many placements choose from few different selections of clusters; those that were asked for last are kept. */
const mostSelections = 16;
/** And of each the totals by so many lists of prioritizers: users may write any number of different ones. */
const mostTotals = 8;

/**
 * What placements have in common whose feasible clusters are the same: these clusters in the order of their names, and the totals by
 * scores that do not depend on the placement. A thousand placements of one cluster set read the resources of ten thousand clusters once.
 */
export class SharedScores {
  readonly #clusters: ClusterTable;
  #order: readonly number[] = [];
  #orderVersion = -1;
  #selections: FeasibleClusters[] = [];
  readonly #totals = new WeakMap<readonly number[], Map<string, KnownTotals>>();

  constructor(clusters: ClusterTable) {
    this.#clusters = clusters;
  }

  /** Feasible clusters sorted by name: the same list for the same clusters. */
  idsOf(feasible: BitSet): readonly number[] {
    if (this.#orderVersion !== this.#clusters.orderVersion) {
      this.#selections = [];
      this.#order = this.#clusters.inNameOrder;
      this.#orderVersion = this.#clusters.orderVersion;
    }
    const index = this.#selections.findLastIndex(({ bits }) => bits.equals(feasible));
    const found = this.#selections[index] ?? { bits: feasible.copy(), ids: feasible.filter(this.#order) };
    if (index >= 0) this.#selections.splice(index, 1);
    else if (this.#selections.length === mostSelections) this.#selections.shift();
    this.#selections.push(found);
    return found.ids;
  }

  /** The totals by some prioritizers of a list that `idsOf` gave, computed once until a score changes or ends. */
  totals(
    ids: readonly number[],
    prioritizers: readonly Prioritizer[],
    { clusters, scores, now }: ScoreSources,
    compute: () => Totals,
  ): Totals {
    let known = this.#totals.get(ids);
    if (!known) {
      known = new Map();
      this.#totals.set(ids, known);
    }
    const text = JSON.stringify(prioritizers);
    // Each of them only grows, so that their sum is another one when one of them is.
    const version = clusters.cpu.version + clusters.memory.version + scores.version;
    const last = known.get(text);
    if (last?.version === version && now <= last.totals.validUntil) return last.totals;
    const totals = compute();
    known.delete(text);
    const [oldest] = known.keys();
    if (known.size >= mostTotals && oldest !== undefined) known.delete(oldest);
    known.set(text, { version, totals });
    return totals;
  }
}
