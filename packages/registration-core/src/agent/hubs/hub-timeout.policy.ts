/** What is known about the contact to a hub; times by the monotonic clock. */
export interface HubContact {
  readonly startedAt: number;
  /** When the hub last answered; undefined if it never did. */
  readonly lastContactAt: number | undefined;
  readonly timeoutMs: number;
}

/** A connection that has just begun has yet to show what it can do. */
const graceMs = 10_000;
const longestPauseMs = 60_000;

/** When the hub counts as lost without any contact until then. */
export const lostAt = ({ startedAt, lastContactAt, timeoutMs }: HubContact): number =>
  Math.max(startedAt + graceMs, (lastContactAt ?? startedAt) + timeoutMs);

/** How long a hub may be silent before it is asked: often enough that one lost answer does not make it lost. */
export const pauseOf = (timeoutMs: number): number => Math.min(longestPauseMs, timeoutMs / 3);
