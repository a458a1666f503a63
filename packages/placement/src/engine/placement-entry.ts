import type { Placement } from '@flotilla/api-types';
import type { MonotonicTime } from '@flotilla/kube/clock';
import type { DecisionPage } from '../scheduler/decision-pages.ts';
import type { PlacementPlan } from '../scheduler/plan.ts';
import { BitSet } from './bit-set.ts';
import { CandidateExpressions } from './candidate-expressions.ts';
import type { Column } from './column.ts';
import type { DecisionState } from './decision-state.ts';
import type { ScheduleResult } from './schedule-result.ts';
import type { TolerationColumn } from './toleration-column.ts';

/** The columns that a placement reads. */
export interface PlacementColumns {
  /** Empty if every cluster matches. */
  readonly predicates: readonly Column[];
  readonly tolerations: TolerationColumn | undefined;
  /** One for each named decision group. */
  readonly groups: readonly Column[];
}

/** The sets that a placement chooses from. */
export interface PlacementSets {
  readonly valid: readonly string[];
  readonly eligible: readonly string[];
  /** Of the eligible sets. */
  readonly columns: readonly Column[];
  /** Set if an eligible set cannot be understood: nothing is decided then. */
  readonly fault?: string;
}

const noSets: PlacementSets = { valid: [], eligible: [], columns: [] };

/**
 * One placement: which clusters are feasible, kept up to date one cluster at a time. It listens to the columns that it reads,
 * and asks to be scheduled again only when something changed that the result depends on.
 */
export class PlacementEntry {
  readonly key: string;
  readonly placement: Placement;
  readonly plan: PlacementPlan;
  readonly columns: PlacementColumns;
  readonly feasible = new BitSet();
  sets: PlacementSets = noSets;
  /** The last result, until something that it depends on changes. */
  result: ScheduleResult | undefined;
  isScheduled = false;
  /** When it was last scheduled for a change of the fleet; undefined if never, or only for its spec. */
  scheduledAt: MonotonicTime | undefined;
  /** The pages of the last result, also when that is forgotten: those that stay the same need not be compared again. */
  pages: readonly DecisionPage<number>[] | undefined;
  /** Keys of pages, because joining them again for each would cost more than the rest. */
  readonly #pageKeys: string[] = [];
  /** True until the feasible clusters are computed as a whole: before that, single changes are not followed. */
  #isStale = true;
  #hadCandidates = false;
  /** From the first change that concerns it until it is scheduled. */
  #isAsking = false;
  readonly #expressions: CandidateExpressions;
  readonly #decisions: DecisionState;
  readonly #invalidated: (entry: PlacementEntry) => void;

  constructor(
    placement: Placement,
    input: {
      readonly key: string;
      readonly plan: PlacementPlan;
      readonly columns: PlacementColumns;
      readonly decisions: DecisionState;
      readonly invalidated: (entry: PlacementEntry) => void;
    },
  ) {
    this.placement = placement;
    this.key = input.key;
    this.plan = input.plan;
    this.columns = input.columns;
    this.#decisions = input.decisions;
    this.#invalidated = input.invalidated;
    const { predicates, groups } = this.columns;
    this.#expressions = new CandidateExpressions([...predicates, ...groups], () => this.invalidate());
    for (const column of this.columns.predicates) column.listeners.add(this.#recheck);
    for (const column of this.columns.groups) column.listeners.add(this.touch);
    this.columns.tolerations?.listeners.add(this.#retolerate);
  }

  /** Stops listening. */
  close(): void {
    this.useSets(noSets);
    this.#expressions.close();
    for (const column of this.columns.predicates) column.listeners.delete(this.#recheck);
    for (const column of this.columns.groups) column.listeners.delete(this.touch);
    this.columns.tolerations?.listeners.delete(this.#retolerate);
  }

  useSets(sets: PlacementSets): void {
    for (const column of this.sets.columns) column.listeners.delete(this.#recheckSet);
    this.sets = sets;
    for (const column of sets.columns) column.listeners.add(this.#recheckSet);
    this.#isStale = true;
    this.invalidate();
  }

  /** The key of a page by its number, from 1. */
  pageKey(number: number): string {
    let key = this.#pageKeys[number];
    if (key === undefined) {
      key = `${this.key}-decision-${number}`;
      this.#pageKeys[number] = key;
    }
    return key;
  }

  get hasCandidates(): boolean {
    return this.sets.columns.some(({ size }) => size > 0);
  }

  /** Whether totals decide who is selected. */
  get isRanked(): boolean {
    return this.plan.numberOfClusters !== undefined;
  }

  /** Forgets the result, and asks once to be scheduled again. */
  invalidate(): void {
    this.result = undefined;
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#invalidated(this);
  }

  /** Forgets the result if it depends on a cluster. */
  readonly touch = (id: number): void => {
    if (this.#isStale || this.feasible.has(id)) this.invalidate();
  };

  /** Follows what the placement itself decided. */
  decided(ids: Iterable<number>): void {
    for (const id of ids) this.#recheck(id);
    const steady = this.plan.prioritizers.find(({ kind }) => kind === 'Steady');
    if (this.isRanked && steady && !(steady.weight > 0 && this.#isDecided())) this.invalidate();
  }

  /** Set if its expressions cost more than they may, or have no answer for a cluster: nothing is decided then. */
  get fault(): string | undefined {
    return this.#expressions.fault;
  }

  /** Whether its expressions are evaluated for all candidates. If not, it asks to be scheduled again when more of them are. */
  evaluate(): boolean {
    const isEvaluated = this.#expressions.evaluate(() => this.#candidates());
    if (!isEvaluated) this.#isAsking = false;
    return isEvaluated;
  }

  /** Begins to schedule it: computes the feasible clusters as a whole, if single changes were not followed. */
  refresh(): void {
    this.#isAsking = false;
    this.#hadCandidates = this.hasCandidates;
    if (!this.#isStale) return;
    this.#isStale = false;
    const { predicates, tolerations } = this.columns;
    this.feasible.clear();
    this.feasible.or(this.#candidates());
    if (predicates.length > 0) {
      const matching = new BitSet();
      for (const { bits } of predicates) matching.or(bits);
      this.feasible.and(matching);
    }
    if (!tolerations) return;
    this.feasible.andNot(tolerations.refused);
    // What was decided already may stay for a while.
    this.#decisions.own(this.key).visitAll((id) => {
      if (tolerations.refused.has(id)) this.feasible.set(id, this.#isFeasible(id));
    });
  }

  /** Whether a cluster passes the predicates. */
  matches(id: number): boolean {
    const { predicates } = this.columns;
    return predicates.length === 0 || predicates.some(({ bits }) => bits.has(id));
  }

  isCandidate(id: number): boolean {
    return this.sets.columns.some(({ bits }) => bits.has(id));
  }

  #candidates(): BitSet {
    const candidates = new BitSet();
    for (const { bits } of this.sets.columns) candidates.or(bits);
    return candidates;
  }

  #isTolerated(id: number): boolean {
    const tolerance = this.columns.tolerations?.of(id);
    if (!tolerance || tolerance.asNew) return true;
    return tolerance.asDecided && this.#decisions.own(this.key).has(id);
  }

  /** Whether what is selected is what was decided: those clusters then have the higher scores, and stay selected. */
  #isDecided(): boolean {
    if (!this.result?.decisions || this.placement.spec?.spreadPolicy) return false;
    const own = this.#decisions.own(this.key);
    let missing = 0;
    own.visitAll((_, times) => {
      missing += times;
    });
    for (const { clusters } of this.result.decisions.pages) {
      for (const id of clusters) missing += own.has(id) ? -1 : Number.NaN;
    }
    return missing === 0;
  }

  #isFeasible(id: number): boolean {
    return this.isCandidate(id) && this.matches(id) && this.#isTolerated(id);
  }

  readonly #recheck = (id: number): void => {
    // It is going to be scheduled anyway, and then from whole columns: thousands of clusters may change before that.
    if (!this.result) this.#isStale = true;
    else if (this.feasible.set(id, this.#isFeasible(id))) this.invalidate();
  };

  /** The first and the last candidate also change the reason in the status. */
  readonly #recheckSet = (id: number): void => {
    this.#recheck(id);
    // The cluster that leaves may be the one that a fault is about.
    if (this.fault !== undefined || (this.isCandidate(id) && this.#expressions.lacks(id))) this.invalidate();
    if (this.hasCandidates !== this.#hadCandidates) {
      this.#hadCandidates = this.hasCandidates;
      this.invalidate();
    }
  };

  /** A new deadline, or another preference, changes the result also where the cluster stays feasible. */
  readonly #retolerate = (id: number): void => {
    this.#recheck(id);
    this.touch(id);
  };
}
