import { type MonotonicTime, msBetween } from '@flotilla/kube/clock';

/** What is known about the contact to a hub. */
export interface HubContact {
  readonly startedAt: MonotonicTime;
  /** When the hub last answered; undefined if it never did. */
  readonly lastContactAt: MonotonicTime | undefined;
  readonly timeoutMs: number;
}

/** A connection that has just begun has yet to show what it can do. */
const graceMs = 10_000;
const longestPauseMs = 60_000;

/** Whether the hub counts as lost, if it had no contact until now. */
export const isLost = ({ startedAt, lastContactAt, timeoutMs }: HubContact, now: MonotonicTime): boolean =>
  msBetween(startedAt, now) >= graceMs && msBetween(lastContactAt ?? startedAt, now) >= timeoutMs;

/** How long a hub may be silent before it is asked: often enough that one lost answer does not make it lost. */
export const pauseOf = (timeoutMs: number): number => Math.min(longestPauseMs, timeoutMs / 3);
