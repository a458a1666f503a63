import { SchedulingPlugin } from '@flotilla/api-types';
import { groupClusters } from '../scheduler/decision-groups.ts';
import { type DecisionPages, pageGroups } from '../scheduler/decision-pages.ts';
import { misconfigured, success } from '../scheduler/schedule-status.ts';
import { type Selection, selectHighest } from '../scheduler/select.ts';
import { selectSpread } from '../scheduler/spread.ts';
import type { ClusterTable } from './cluster-table.ts';
import type { PlacementEntry } from './placement-entry.ts';
import type { ScheduleResult } from './schedule-result.ts';
import { type SchedulingInputs, type Totals, totalsOf } from './scoring.ts';
import type { SharedScores } from './shared-scores.ts';

/** What OCM's API has and OCM ignores; off unless asked for. */
export interface SchedulerGates {
  /** Clusters with a PreferNoSelect taint that is not tolerated are selected last. */
  readonly preferNoSelect?: boolean;
  /** `spreadPolicy` is carried out. */
  readonly spread?: boolean;
  /** A cluster stays on the page of the decisions that it is on, so that one more changes one page. */
  readonly stablePaging?: boolean;
}

const unranked: Totals = { totals: new Float64Array(), status: success, validUntil: Number.POSITIVE_INFINITY };
/** More than any total, so that preferred clusters come first whatever their scores. */
const preference = 1e12;

/** The feasible clusters of a placement, sorted by name. */
export function feasibleIds(entry: PlacementEntry, shared: SharedScores): readonly number[] {
  entry.refresh();
  return shared.idsOf(entry.feasible);
}

/** What a placement selects, and by which totals. */
export interface Scheduled {
  readonly result: ScheduleResult;
  /** In the order of the feasible clusters; undefined if it selects all of them, or is misconfigured. */
  readonly totals?: Float64Array;
}

/** Schedules a placement, of which `ids` are the feasible clusters. Throws if one of its sets cannot be understood. */
export function scheduleEntry(
  entry: PlacementEntry,
  ids: readonly number[],
  input: SchedulingInputs,
  gates: SchedulerGates,
): Scheduled {
  const { plan, sets } = entry;
  if (sets.fault) throw new Error(sets.fault);
  const outcome = {
    validSets: sets.valid,
    eligibleSets: sets.eligible,
    hasCandidates: entry.hasCandidates,
  };
  if (!plan.groups || entry.fault) {
    const nothing = { selected: [], unscheduled: 0, decisions: undefined, recheckAt: undefined };
    const status = entry.fault ? misconfigured(SchedulingPlugin.Predicate, entry.fault) : plan.status;
    return { result: { ...outcome, ...nothing, status } };
  }
  const isRanked = entry.isRanked || isSpread(entry, gates);
  const ranked = isRanked ? totalsOf(plan.prioritizers, ids, input) : unranked;
  const { selected, unscheduled } = select(
    entry,
    ids,
    preferred(entry, ids, ranked.totals, gates),
    input.clusters,
    gates,
  );
  const result = {
    ...outcome,
    status: ranked.status,
    get selected() {
      return input.clusters.namesOf(selected);
    },
    unscheduled,
    decisions: decisionsOf(entry, selected, input, gates),
    recheckAt: recheckAt(entry, ranked.validUntil),
  };
  return isRanked ? { result, totals: ranked.totals } : { result };
}

const isSpread = ({ placement }: PlacementEntry, { spread }: SchedulerGates): boolean =>
  spread === true && (placement.spec?.spreadPolicy?.spreadConstraints ?? []).length > 0;

function select(
  entry: PlacementEntry,
  ids: readonly number[],
  totals: ArrayLike<number>,
  clusters: ClusterTable,
  gates: SchedulerGates,
): Selection<number> {
  const { numberOfClusters } = entry.plan;
  if (isSpread(entry, gates)) {
    const constraints = entry.placement.spec?.spreadPolicy?.spreadConstraints ?? [];
    return selectSpread(ids, totals, numberOfClusters, constraints, (id) => clusters.viewOf(id));
  }
  if (numberOfClusters === undefined) return { selected: ids, unscheduled: 0 };
  return selectHighest(ids, totals, numberOfClusters);
}

function preferred(
  { columns: { tolerations } }: PlacementEntry,
  ids: readonly number[],
  totals: Float64Array,
  { preferNoSelect }: SchedulerGates,
): Float64Array {
  if (!preferNoSelect || !tolerations || totals.length === 0) return totals;
  return totals.map((total, index) => (tolerations.of(ids[index] ?? -1).isPreferred ? total : total - preference));
}

function decisionsOf(
  entry: PlacementEntry,
  selected: readonly number[],
  { decisions, pager }: SchedulingInputs,
  { stablePaging }: SchedulerGates,
): DecisionPages<number> | undefined {
  const { key, placement, columns, plan } = entry;
  if (!plan.groups) return undefined;
  const named = plan.groups.named.map(({ name }, index) => ({
    name,
    matches: (id: number) => columns.groups[index]?.bits.has(id) ?? false,
  }));
  const groups = groupClusters({ ...plan.groups, named }, selected);
  const paging = (ids: readonly number[], first: number) =>
    pager.pagesOf(ids, (page) => decisions.page(key, entry.pageKey(first + page)));
  const before = entry.pages;
  const name = placement.metadata?.name ?? '';
  const pages = pageGroups(name, groups, stablePaging ? { paging, before } : { before });
  entry.pages = pages.pages;
  return pages;
}

/** Scores end after their last valid moment, tolerations at their deadline. */
function recheckAt({ columns, feasible }: PlacementEntry, validUntil: number): number | undefined {
  let at = validUntil + 1;
  for (const [id, { deadline }] of columns.tolerations?.tainted ?? []) {
    if (feasible.has(id)) at = Math.min(at, deadline);
  }
  return Number.isFinite(at) ? at : undefined;
}
