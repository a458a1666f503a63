import { type MonotonicTime, msBetween } from '@flotilla/kube/clock';

/** What was last reported of a member, and since when it has been otherwise. */
export interface Damping {
  /** Undefined before the first observation. */
  readonly reported?: boolean;
  /** The time of the first observation in a row that differs from what was reported. */
  readonly differsSince?: MonotonicTime;
}

/** How a change of health is held back. */
export interface DampingTimes {
  /** A member that fails is reported when it has failed for so long. */
  readonly failureMs: number;
  /** A member that answers again is reported when it has answered for so long. */
  readonly successMs: number;
}

/** One observation: the first is reported at once, a later change only when it has lasted. `at` is when the check began. */
export function damp(
  before: Damping,
  isHealthy: boolean,
  at: MonotonicTime,
  now: MonotonicTime,
  times: DampingTimes,
): Damping {
  if (before.reported === undefined) return { reported: isHealthy };
  if (before.reported === isHealthy) return { reported: isHealthy };
  const differsSince = before.differsSince ?? at;
  const thresholdMs = isHealthy ? times.successMs : times.failureMs;
  return msBetween(differsSince, now) >= thresholdMs
    ? { reported: isHealthy }
    : { reported: before.reported, differsSince };
}

/** Whether an observation is held back at the moment. */
export const isHeldBack = ({ differsSince }: Damping): boolean => differsSince !== undefined;
