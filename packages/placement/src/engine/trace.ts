import { SchedulingPlugin } from '@flotilla/api-types';
import type { ScheduleStatus } from '../scheduler/schedule-status.ts';
import type { PlacementEntry } from './placement-entry.ts';
import { feasibleIds, type SchedulerGates, scheduleEntry } from './schedule-entry.ts';
import type { ClusterTotal, ScheduleResult } from './schedule-result.ts';
import { type SchedulingInputs, scoresBy, totalsOf } from './scoring.ts';

/** The clusters that are left after a filter. */
export interface FilterTrace {
  /** The filters so far: `Predicate`, `Predicate,TaintToleration`. */
  readonly name: string;
  readonly clusters: readonly string[];
}

/** The scores that a prioritizer gives. */
export interface PrioritizerTrace {
  readonly name: string;
  readonly weight: number;
  readonly scores: Readonly<Record<string, number>>;
}

/** How a placement is scheduled, step by step. It ends at the step that is misconfigured. */
export interface PlacementTrace {
  readonly status: ScheduleStatus;
  readonly candidates: readonly string[];
  readonly filters: readonly FilterTrace[];
  readonly prioritizers: readonly PrioritizerTrace[];
  /** Highest first, ties by name. */
  readonly totals: readonly ClusterTotal[];
  readonly result: ScheduleResult;
}

/** Schedules a placement and reports each step. Throws if one of its sets cannot be understood. */
export function traceEntry(entry: PlacementEntry, input: SchedulingInputs, gates: SchedulerGates): PlacementTrace {
  const { plan } = entry;
  const { clusters } = input;
  const feasible = feasibleIds(entry, input.shared);
  const { result } = scheduleEntry(entry, feasible, input, gates);
  const named = (ids: readonly number[]) => clusters.namesOf(ids);
  const candidates = clusters.inNameOrder.filter((id) => entry.isCandidate(id));
  const filters: FilterTrace[] = [];
  if (plan.predicates) {
    filters.push({ name: SchedulingPlugin.Predicate, clusters: named(candidates.filter((id) => entry.matches(id))) });
  }
  if (plan.tolerations) {
    const name = `${SchedulingPlugin.Predicate},${SchedulingPlugin.TaintToleration}`;
    filters.push({ name, clusters: named(feasible) });
  }
  const { totals } = totalsOf(plan.prioritizers, feasible, input);
  const ranked = feasible.map((id, index) => ({ cluster: clusters.nameOf(id), total: totals[index] ?? 0 }));
  return {
    status: result.status,
    candidates: named(candidates),
    filters,
    prioritizers: plan.prioritizers.map((prioritizer) => {
      const { scores } = scoresBy(prioritizer, feasible, input);
      const entries = feasible.map((id, index) => [clusters.nameOf(id), scores[index] ?? 0] as const);
      return {
        name: prioritizer.name,
        weight: prioritizer.weight,
        scores: Object.fromEntries(entries.filter(([, score]) => !Number.isNaN(score))),
      };
    }),
    totals: plan.groups ? ranked.toSorted((a, b) => b.total - a.total) : [],
    result,
  };
}
