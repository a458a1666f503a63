import type { AddOnPlacementScore, ManagedCluster, ManagedClusterSet, Placement } from '@flotilla/api-types';
import { keyOf } from '@flotilla/kube';
import { type Clock, type EpochMs, type MonotonicTime, realClock, type WallTime, wallTime } from '@flotilla/kube/clock';
import { semanticEqual } from '@flotilla/kube/meta';
import { clusterView } from '../scheduler/cluster-view.ts';
import { planOf } from '../scheduler/plan.ts';
import { BoundSets } from './bound-sets.ts';
import { ClusterTable } from './cluster-table.ts';
import type { Column } from './column.ts';
import { DecisionState } from './decision-state.ts';
import { PlacementEntry } from './placement-entry.ts';
import { addOnScores, RankingIndex, spreading } from './ranking-index.ts';
import { feasibleIds, type Scheduled, type SchedulerGates, scheduleEntry } from './schedule-entry.ts';
import type { ClusterTotal, ScheduleResult } from './schedule-result.ts';
import { ScoreTable } from './score-table.ts';
import { type SchedulingInputs, totalsOf } from './scoring.ts';
import { SharedScores } from './shared-scores.ts';
import { type SelectorLease, SharedSelectors, sameValues } from './shared-selectors.ts';
import { StablePager } from './stable-pager.ts';
import { type PlacementTrace, traceEntry } from './trace.ts';

/** How an engine is made. */
export interface EngineOptions {
  readonly now: EpochMs;
  /** Is called with the key of a placement whose result may have changed. */
  readonly onDirty: (key: string) => void;
  readonly gates?: SchedulerGates;
  /** Evaluate expressions at once, however long it takes. For programs that do nothing else meanwhile. */
  readonly atOnce?: boolean;
  /** For evaluations that failed and are tried again; the real clock unless given. */
  readonly clock?: Pick<Clock, 'schedule'>;
}

/**
 * Schedules placements at a cost that follows the change and not the fleet. It holds what it read of clusters, sets, bindings,
 * scores and decisions; each change tests one cluster against the selectors that read what changed, and asks only for those
 * placements again whose result depends on it. It does no I/O, and needs a clock only to try again.
 */
export class PlacementEngine {
  readonly decisions: DecisionState;
  readonly #gates: SchedulerGates;
  readonly #onDirty: (key: string) => void;
  readonly #clusters = new ClusterTable();
  readonly #scores = new ScoreTable(this.#clusters);
  readonly #sets = new BoundSets(this.#clusters);
  readonly #selectors: SharedSelectors;
  readonly #entries = new Map<string, PlacementEntry>();
  readonly #ranking = new RankingIndex();
  readonly #shared = new SharedScores(this.#clusters);
  readonly #pager = new StablePager();
  readonly #leases = new Map<PlacementEntry, SelectorLease>();
  /** Of the placement that was scheduled last: its totals are asked for next. */
  #last: (Scheduled & { readonly ids: readonly number[] }) | undefined;
  #now: WallTime;

  constructor({ now, onDirty, gates = {}, atOnce = false, clock = realClock }: EngineOptions) {
    this.#selectors = new SharedSelectors(this.#clusters, {
      scoresOf: (cluster, resource) => this.#scores.of(resource)?.lists.get(this.#clusters.idOf(cluster) ?? -1),
      atOnce,
      clock,
    });
    this.#now = wallTime(now);
    this.#onDirty = onDirty;
    this.#gates = gates;
    this.decisions = new DecisionState(this.#clusters, (placement, ids) => this.#entries.get(placement)?.decided(ids));
  }

  setCluster(object: ManagedCluster): void {
    const view = clusterView(object);
    const known = this.#clusters.idOf(view.name);
    const before = known === undefined ? undefined : this.#clusters.view(known);
    const id = this.#clusters.put(view);
    this.#selectors.updateCluster(id, before, view, this.#now);
    this.#sets.updateCluster(id, before, view);
    if (!before) return;
    const changed = {
      cpu: before.cpu !== view.cpu,
      memory: before.memory !== view.memory,
      values: !sameValues(before, view),
    };
    if (!changed.cpu && !changed.memory && !changed.values) return;
    if (changed.cpu) this.#ranking.touch('ResourceAllocatableCPU', id);
    if (changed.memory) this.#ranking.touch('ResourceAllocatableMemory', id);
    if (changed.values) this.#ranking.touch(spreading, id);
  }

  deleteCluster(name: string): void {
    const id = this.#clusters.idOf(name);
    if (id === undefined) return;
    const before = this.#clusters.view(id);
    this.#sets.updateCluster(id, before, undefined);
    this.#selectors.updateCluster(id, before, undefined, this.#now);
    this.#clusters.remove(id);
  }

  setSet(set: ManagedClusterSet): void {
    if (this.#sets.put(set)) this.#useSets(set.metadata?.name ?? '');
  }

  deleteSet(name: string): void {
    if (this.#sets.delete(name)) this.#useSets(name);
  }

  setBinding(namespace: string, name: string): void {
    if (this.#sets.bind(namespace, name)) this.#useSets(name, namespace);
  }

  deleteBinding(namespace: string, name: string): void {
    if (this.#sets.unbind(namespace, name)) this.#useSets(name, namespace);
  }

  setScore(score: AddOnPlacementScore): void {
    const { namespace = '', name = '' } = score.metadata ?? {};
    if (this.#scores.put(name, namespace, score)) this.#scoreChanged(name, namespace);
  }

  deleteScore(cluster: string, resource: string): void {
    this.#scores.delete(resource, cluster);
    this.#scoreChanged(resource, cluster);
  }

  setPlacement(placement: Placement): void {
    const key = keyOf(placement);
    const known = this.#entries.get(key);
    if (known && semanticEqual(known.placement.spec, placement.spec)) return;
    // The new entry takes its selectors before the old one gives them back, so that shared ones are not built again.
    const entry = this.#open(placement, key);
    if (known) this.#close(known);
    this.#entries.set(key, entry);
    entry.useSets(this.#sets.setsOf(placement));
  }

  deletePlacement(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#close(entry);
  }

  /** Moves the wall clock on, or back if it was set: tolerations and scores end by it. */
  advance(to: EpochMs): void {
    const before = this.#now;
    const now = wallTime(to);
    if (now === before) return;
    this.#now = now;
    this.#selectors.advance(before, now);
    this.#scores.advance(before, now, (resource, id) => this.#ranking.touch(addOnScores(resource), id));
  }

  /**
   * What a placement selects now. Undefined if there is no such placement, or while its expressions are evaluated: `onDirty` follows
   * then. Throws if a set cannot be understood. `at` is what `outdatedSince` returns later.
   */
  schedule(key: string, at?: MonotonicTime): ScheduleResult | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (!entry.result && !entry.evaluate()) return undefined;
    if (!entry.result) {
      const ids = feasibleIds(entry, this.#shared);
      const scheduled = scheduleEntry(entry, ids, this.#scoringInput(entry), this.#gates);
      this.#last = { ...scheduled, ids };
      entry.result = scheduled.result;
      // The first time is for its user; the first change of the fleet after that need not wait.
      entry.scheduledAt = entry.isScheduled ? at : undefined;
      entry.isScheduled = true;
    }
    return entry.result;
  }

  /** When a placement whose result is not good any more was last scheduled, by this spec; undefined if it is due at once. */
  outdatedSince(key: string): MonotonicTime | undefined {
    const entry = this.#entries.get(key);
    return entry?.result ? undefined : entry?.scheduledAt;
  }

  /** Whether a cluster is in the sets of a placement and not being deleted. */
  isCandidate(key: string, id: number): boolean {
    return this.#entries.get(key)?.isCandidate(id) ?? false;
  }

  /** The names of clusters by the ids of a result, which are good until the next change of the fleet. */
  namesOf(ids: readonly number[]): string[] {
    return this.#clusters.namesOf(ids);
  }

  /** The totals of feasible clusters in the order of their names, no more than `most`. */
  totalsOf(key: string, most: number): readonly ClusterTotal[] {
    const entry = this.#entries.get(key);
    if (!entry) return [];
    const last = this.#last?.result === entry.result ? this.#last : undefined;
    const ids = last?.ids ?? feasibleIds(entry, this.#shared);
    const totals =
      last?.totals?.subarray(0, most) ?? totalsOf(entry.plan.prioritizers, ids, this.#scoringInput(entry), most).totals;
    return Array.from(totals, (total, index) => ({ cluster: this.#clusters.nameOf(ids[index] ?? -1), total }));
  }

  /**
   * How a placement, which need not be stored, is scheduled: each step with its clusters and scores. Throws if that takes longer than
   * a turn of the event loop has time for.
   */
  trace(placement: Placement): PlacementTrace {
    const entry = this.#openWithSets(placement);
    try {
      if (!entry.evaluate()) throw new Error('the expressions of the placement take long to evaluate');
      return traceEntry(entry, this.#scoringInput(entry), this.#gates);
    } finally {
      this.#close(entry);
    }
  }

  /** The same, however long it takes. */
  async whenTraced(placement: Placement): Promise<PlacementTrace> {
    let resume = () => {};
    const entry = this.#openWithSets(placement, () => resume());
    try {
      while (!entry.evaluate()) {
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      }
      return traceEntry(entry, this.#scoringInput(entry), this.#gates);
    } finally {
      this.#close(entry);
    }
  }

  #scoringInput({ key }: PlacementEntry): SchedulingInputs {
    return {
      clusters: this.#clusters,
      decisions: this.decisions,
      scores: this.#scores,
      shared: this.#shared,
      pager: this.#pager,
      placement: key,
      now: this.#now,
    };
  }

  #openWithSets(placement: Placement, invalidated?: () => void): PlacementEntry {
    const entry = this.#open(placement, keyOf(placement), invalidated);
    entry.useSets(this.#sets.setsOf(placement));
    return entry;
  }

  #open(placement: Placement, key: string, invalidated?: () => void): PlacementEntry {
    const lease = this.#selectors.lease(this.#now, placement.metadata?.namespace ?? '');
    const predicates: Column[] = [];
    const plan = planOf(placement, (predicate) => {
      const shared = lease.predicate(predicate);
      predicates.push(shared.column);
      return shared.predicate;
    });
    const named = placement.spec?.decisionStrategy?.groupStrategy?.decisionGroups ?? [];
    const groups = plan.groups
      ? named.map(
          ({ groupClusterSelector }) => lease.predicate({ requiredClusterSelector: groupClusterSelector }).column,
        )
      : [];
    const entry = new PlacementEntry(placement, {
      key,
      plan,
      columns: { predicates, tolerations: plan.tolerations && lease.tolerations(plan.tolerations), groups },
      decisions: this.decisions,
      invalidated: (changed) => {
        invalidated?.();
        if (this.#entries.get(key) === changed) this.#onDirty(key);
      },
    });
    this.#leases.set(entry, lease);
    this.#ranking.add(entry, this.#gates);
    return entry;
  }

  #close(entry: PlacementEntry): void {
    entry.close();
    this.#ranking.delete(entry);
    this.#leases.get(entry)?.release();
    this.#leases.delete(entry);
  }

  /** Evaluates again the sets of placements that a set or a binding of this name concerns. */
  #useSets(name: string, namespace?: string): void {
    for (const entry of this.#entries.values()) {
      const own = entry.placement.metadata?.namespace ?? '';
      if (namespace !== undefined && own !== namespace) continue;
      if (!this.#sets.isBound(own, name) && !entry.sets.valid.includes(name)) continue;
      entry.useSets(this.#sets.setsOf(entry.placement));
    }
  }

  #scoreChanged(resource: string, cluster: string): void {
    const id = this.#clusters.idOf(cluster);
    if (id === undefined) return;
    this.#selectors.updateScores(id);
    this.#ranking.touch(addOnScores(resource), id);
  }
}
