import type { DecisionPages } from '../scheduler/decision-pages.ts';
import type { ScheduleStatus } from '../scheduler/schedule-status.ts';

/** The total of one cluster. */
export interface ClusterTotal {
  readonly cluster: string;
  readonly total: number;
}

/** What a placement selects. */
export interface ScheduleResult {
  readonly status: ScheduleStatus;
  /** Bound sets that exist, sorted. */
  readonly validSets: readonly string[];
  /** Of these, those that the spec allows. */
  readonly eligibleSets: readonly string[];
  /** Whether a set has a cluster that is not being deleted. */
  readonly hasCandidates: boolean;
  /** Names of the selected clusters, sorted. Empty if misconfigured. Made when it is asked for. */
  readonly selected: readonly string[];
  readonly unscheduled: number;
  /** The clusters by their ids in the engine. Undefined if misconfigured: the decisions then stay as they are. */
  readonly decisions: DecisionPages<number> | undefined;
  /** Milliseconds since the epoch at which time alone may change the result. */
  readonly recheckAt: number | undefined;
}
