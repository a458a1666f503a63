import { balanceScore, type Prioritizer, resourceScore, steadyScore } from '../scheduler/prioritizers.ts';
import type { ScheduleStatus } from '../scheduler/schedule-status.ts';
import { success } from '../scheduler/schedule-status.ts';
import type { ClusterTable } from './cluster-table.ts';
import type { DecisionState } from './decision-state.ts';
import type { NumberColumn } from './number-column.ts';
import type { ScoreTable } from './score-table.ts';
import type { StablePager } from './stable-pager.ts';

/** What scheduling reads beside the placement itself. */
export interface SchedulingInputs {
  readonly clusters: ClusterTable;
  readonly decisions: DecisionState;
  readonly scores: ScoreTable;
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

function balance(scores: Float64Array, ids: readonly number[], input: SchedulingInputs): PrioritizerScores {
  const { counts } = input.decisions;
  const own = input.decisions.own(input.placement);
  const most = counts.highestWithout(own);
  /** By count: many clusters have few different ones. */
  const known: number[] = [];
  for (let index = 0; index < scores.length; index++) {
    const id = ids[index] ?? -1;
    const count = counts.of(id) - own.timesOf(id);
    while (known.length <= count) known.push(balanceScore(known.length, most));
    scores[index] = known[count] ?? 0;
  }
  return { scores, ...lasting };
}

function steady(scores: Float64Array, ids: readonly number[], input: SchedulingInputs): PrioritizerScores {
  const own = input.decisions.own(input.placement);
  for (let index = 0; index < scores.length; index++) scores[index] = steadyScore(own.has(ids[index] ?? -1));
  return { scores, ...lasting };
}

function allocatable(scores: Float64Array, ids: readonly number[], amounts: NumberColumn): PrioritizerScores {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const id of ids) {
    const amount = amounts.get(id);
    // Not so for NaN.
    if (amount < least) least = amount;
    if (amount > most) most = amount;
  }
  for (let index = 0; index < scores.length; index++) {
    const amount = amounts.get(ids[index] ?? -1);
    scores[index] = Number.isNaN(amount) ? amount : resourceScore(amount, least, most);
  }
  return { scores, ...lasting };
}

function addOn(
  scores: Float64Array,
  ids: readonly number[],
  { clusters, scores: table, now }: SchedulingInputs,
  { name, resource, score }: Prioritizer & { readonly kind: 'AddOn' },
): PrioritizerScores {
  const entry = table.of(resource);
  if (!entry) return { scores, ...lasting };
  const values = entry.values.get(score);
  const expired: number[] = [];
  let validUntil = Number.POSITIVE_INFINITY;
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index] ?? -1;
    const until = entry.validUntil.get(id);
    if (now > until) {
      expired.push(id);
      continue;
    }
    if (until < validUntil) validUntil = until;
    if (values && index < scores.length) scores[index] = values.get(id);
  }
  if (expired.length === 0) return { scores, status: success, validUntil };
  const names = expired.map((id) => `${clusters.nameOf(id)}/${resource}`).join(' ');
  const status = { code: 'Warning', plugin: name, reasons: [`AddOnPlacementScores ${names} expired`] } as const;
  return { scores, status, validUntil };
}

/** The scores that a prioritizer gives to the first feasible clusters, for which the others count too. */
export function scoresBy(
  prioritizer: Prioritizer,
  ids: readonly number[],
  input: SchedulingInputs,
  first = ids.length,
): PrioritizerScores {
  const scores = new Float64Array(Math.min(first, ids.length));
  switch (prioritizer.kind) {
    case 'Balance':
      return balance(scores, ids, input);
    case 'Steady':
      return steady(scores, ids, input);
    case 'ResourceAllocatableCPU':
      return allocatable(scores, ids, input.clusters.cpu);
    case 'ResourceAllocatableMemory':
      return allocatable(scores, ids, input.clusters.memory);
    case 'AddOn':
      return addOn(scores, ids, input, prioritizer);
  }
}

/** The totals of feasible clusters, with the last warning. */
export interface Totals {
  /** In the order of the clusters. */
  readonly totals: Float64Array;
  readonly status: ScheduleStatus;
  readonly validUntil: number;
}

/** Adds up the weighted scores of all prioritizers, for the first feasible clusters. */
export function totalsOf(
  prioritizers: readonly Prioritizer[],
  ids: readonly number[],
  input: SchedulingInputs,
  first = ids.length,
): Totals {
  const totals = new Float64Array(Math.min(first, ids.length));
  let status = success;
  let validUntil = Number.POSITIVE_INFINITY;
  for (const prioritizer of prioritizers) {
    const given = scoresBy(prioritizer, ids, input, first);
    const { weight } = prioritizer;
    for (let index = 0; index < totals.length; index++) {
      const score = given.scores[index] ?? 0;
      if (!Number.isNaN(score)) totals[index] = (totals[index] ?? 0) + weight * score;
    }
    if (given.status.code !== 'Success') status = given.status;
    validUntil = Math.min(validUntil, given.validUntil);
  }
  return { totals, status, validUntil };
}
