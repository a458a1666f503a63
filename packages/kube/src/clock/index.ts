/** Time: the clock alone, for programs that start before they know what they need, and what is built on it. */
export { type Backoff, backoffMs } from './backoff.ts';
export type { Clock, WallClock } from './clock.ts';
export { watchClockSteps } from './clock-steps.ts';
export { realClock } from './real-clock.ts';
export { type EpochMs, type MonotonicTime, msBetween, timeAfter, type WallTime, wallTime } from './time.ts';
export { TimestampAges } from './timestamp-ages.ts';
