import {
  type AddOnPrioritizer,
  balanceScore,
  type Prioritizer,
  resourceScore,
  steadyScore,
} from '../scheduler/prioritizers.ts';
import type { ScheduleStatus } from '../scheduler/schedule-status.ts';
import { success } from '../scheduler/schedule-status.ts';
import type { ClusterTable } from './cluster-table.ts';
import type { DecisionState } from './decision-state.ts';
import type { NumberColumn } from './number-column.ts';
import type { ScoreTable } from './score-table.ts';
import type { SharedScores } from './shared-scores.ts';
import type { StablePager } from './stable-pager.ts';

/** What scheduling reads beside the placement itself. */
export interface SchedulingInputs {
  readonly clusters: ClusterTable;
  readonly decisions: DecisionState;
  readonly scores: ScoreTable;
  readonly shared: SharedScores;
  readonly pager: StablePager;
  /** The placement whose clusters are scored. */
  readonly placement: string;
  readonly now: number;
}

/** The scores that one prioritizer gives to feasible clusters. */
export interface PrioritizerScores {
  /** In the order of the clusters; NaN where the prioritizer has no opinion, which counts as 0. */
  readonly scores: Float64Array;
  readonly status: ScheduleStatus;
  /** Until when the scores of add-ons that were read are valid. */
  readonly validUntil: number;
}

const lasting = { status: success, validUntil: Number.POSITIVE_INFINITY };

// Each of these is a loop of its own over plain arrays: ten thousand clusters are scored for a thousand placements.

function addBalance(to: Float64Array, weight: number, ids: readonly number[], input: SchedulingInputs): void {
  const { counts } = input.decisions;
  const own = input.decisions.own(input.placement);
  const most = counts.highestWithout(own);
  /** By count: many clusters have few different ones. */
  const known: number[] = [];
  for (let index = 0; index < to.length; index++) {
    const id = ids[index] ?? -1;
    const count = counts.of(id) - own.timesOf(id);
    while (known.length <= count) known.push(weight * balanceScore(known.length, most));
    to[index] = (to[index] ?? 0) + (known[count] ?? 0);
  }
}

function addSteady(to: Float64Array, weight: number, ids: readonly number[], input: SchedulingInputs): void {
  const own = input.decisions.own(input.placement);
  for (let index = 0; index < to.length; index++) {
    to[index] = (to[index] ?? 0) + weight * steadyScore(own.has(ids[index] ?? -1));
  }
}

/** Adds the scores of a prioritizer that depend on the placement. False if they do not. */
function addOwnScores(
  { kind }: Prioritizer,
  to: Float64Array,
  weight: number,
  ids: readonly number[],
  input: SchedulingInputs,
): boolean {
  if (kind === 'Balance') addBalance(to, weight, ids, input);
  if (kind === 'Steady') addSteady(to, weight, ids, input);
  return kind === 'Balance' || kind === 'Steady';
}

function allocatable(ids: readonly number[], { clusters }: SchedulingInputs, column: NumberColumn): PrioritizerScores {
  const amounts = column.valuesBelow(clusters.size);
  const scores = new Float64Array(ids.length);
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const id of ids) {
    const amount = amounts[id] ?? Number.NaN;
    // Not so for NaN.
    if (amount < least) least = amount;
    if (amount > most) most = amount;
  }
  for (let index = 0; index < scores.length; index++) {
    const amount = amounts[ids[index] ?? 0] ?? Number.NaN;
    scores[index] = Number.isNaN(amount) ? amount : resourceScore(amount, least, most);
  }
  return { scores, ...lasting };
}

function addOn(
  ids: readonly number[],
  { clusters, scores: table, now }: SchedulingInputs,
  { name, resource, score }: AddOnPrioritizer,
): PrioritizerScores {
  const scores = new Float64Array(ids.length);
  const entry = table.of(resource);
  if (!entry) return { scores, ...lasting };
  const values = entry.values.get(score)?.valuesBelow(clusters.size);
  const lastMoments = entry.validUntil.valuesBelow(clusters.size);
  const expired: number[] = [];
  let validUntil = Number.POSITIVE_INFINITY;
  for (let index = 0; index < scores.length; index++) {
    const id = ids[index] ?? 0;
    const until = lastMoments[id] ?? 0;
    if (now > until) {
      expired.push(id);
      continue;
    }
    if (until < validUntil) validUntil = until;
    if (values) scores[index] = values[id] ?? 0;
  }
  if (expired.length === 0) return { scores, status: success, validUntil };
  const names = expired.map((id) => `${clusters.nameOf(id)}/${resource}`).join(' ');
  const status = { code: 'Warning', plugin: name, reasons: [`AddOnPlacementScores ${names} expired`] } as const;
  return { scores, status, validUntil };
}

/** The scores that a prioritizer gives to feasible clusters. */
export function scoresBy(prioritizer: Prioritizer, ids: readonly number[], input: SchedulingInputs): PrioritizerScores {
  switch (prioritizer.kind) {
    case 'Balance':
    case 'Steady': {
      const scores = new Float64Array(ids.length);
      addOwnScores(prioritizer, scores, 1, ids, input);
      return { scores, ...lasting };
    }
    case 'ResourceAllocatableCPU':
      return allocatable(ids, input, input.clusters.cpu);
    case 'ResourceAllocatableMemory':
      return allocatable(ids, input, input.clusters.memory);
    case 'AddOn':
      return addOn(ids, input, prioritizer);
  }
}

/** The totals of feasible clusters, with the last warning. */
export interface Totals {
  /** In the order of the clusters. */
  readonly totals: Float64Array;
  readonly status: ScheduleStatus;
  readonly validUntil: number;
}

/** Adds weighted scores to totals. */
function addUp(
  { totals, status, validUntil }: Totals,
  prioritizers: readonly Prioritizer[],
  ids: readonly number[],
  input: SchedulingInputs,
): Totals {
  let lastStatus = status;
  let firstEnd = validUntil;
  for (const prioritizer of prioritizers) {
    const { weight } = prioritizer;
    if (addOwnScores(prioritizer, totals, weight, ids, input)) continue;
    const given = scoresBy(prioritizer, ids, input);
    const { scores } = given;
    for (let index = 0; index < totals.length; index++) {
      const score = scores[index] ?? 0;
      if (!Number.isNaN(score)) totals[index] = (totals[index] ?? 0) + weight * score;
    }
    if (given.status.code !== 'Success') lastStatus = given.status;
    firstEnd = Math.min(firstEnd, given.validUntil);
  }
  return { totals, status: lastStatus, validUntil: firstEnd };
}

/** Whether a prioritizer gives the same scores for all placements with the same feasible clusters. */
const isShared = ({ kind }: Prioritizer): boolean => kind !== 'Balance' && kind !== 'Steady';

/** Adds up the weighted scores of all prioritizers, for the first feasible clusters. `ids` come from `SharedScores`. */
export function totalsOf(
  prioritizers: readonly Prioritizer[],
  ids: readonly number[],
  input: SchedulingInputs,
  first = ids.length,
): Totals {
  const size = Math.min(first, ids.length);
  const none = (length: number): Totals => ({ totals: new Float64Array(length), ...lasting });
  const shared = prioritizers.filter(isShared);
  if (shared.length === 0) return addUp(none(size), prioritizers, ids, input);
  const base = input.shared.totals(ids, shared, input, () => addUp(none(ids.length), shared, ids, input));
  const own = prioritizers.filter((prioritizer) => !isShared(prioritizer));
  return addUp({ ...base, totals: base.totals.slice(0, size) }, own, ids, input);
}
