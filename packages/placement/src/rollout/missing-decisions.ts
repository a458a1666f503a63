import { Annotation, type Placement, type PlacementDecision } from '@flotilla/api-types';
import type { Clock } from '@flotilla/kube';
import { type MonotonicTime, msBetween } from '@flotilla/kube/clock';

/** How many clusters the decisions of a placement name, and how many its status says are selected. */
export interface MissingDecisions {
  readonly decided: number;
  /** Absent if no scheduler has written the status yet. */
  readonly selected?: number;
}

/**
 * Set while the decisions of a placement name fewer clusters than its status, or it has no status: some were deleted, or the
 * placement was created anew, or the scheduler has not written the status yet. Nothing may be removed from clusters on the word of
 * such decisions. Where scheduling is disabled, others write the decisions, and the status may be old.
 */
export function missingDecisions(
  { metadata, status }: Placement,
  decisions: readonly PlacementDecision[],
): MissingDecisions | undefined {
  if (metadata?.annotations?.[Annotation.SchedulingDisabled] === 'true') return undefined;
  const names = decisions.flatMap((each) => (each.status?.decisions ?? []).map(({ clusterName }) => clusterName));
  const decided = new Set(names).size;
  const selected = status?.numberOfSelectedClusters;
  if (selected === undefined) return { decided };
  return decided < selected ? { decided, selected } : undefined;
}

/** Both numbers, as part of a sentence that says what is held. */
export const describeMissing = ({ decided, selected }: MissingDecisions): string =>
  selected === undefined
    ? `no scheduler has written its status; set the annotation ${Annotation.SchedulingDisabled}=true if its decisions are written by hand`
    : `its decisions name ${decided} clusters, its status ${selected}`;

/** A scheduler writes decisions first and then the status: what is held only between the two is not reported. */
const graceMs = 5000;

/** Since when removals are held, by what holds them. */
export class RemovalHolds {
  readonly #clock: Clock;
  readonly #since = new Map<string, MonotonicTime>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long until a hold is to be reported: 0 if now, undefined if nothing is held. */
  reportAfterMs(key: string, isHeld: boolean): number | undefined {
    if (!isHeld) this.forget(key);
    if (!isHeld) return undefined;
    const now = this.#clock.monotonic();
    const since = this.#since.get(key) ?? now;
    this.#since.set(key, since);
    return Math.max(0, graceMs - msBetween(since, now));
  }

  forget(key: string): void {
    this.#since.delete(key);
  }
}
