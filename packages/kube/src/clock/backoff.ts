/** How long to wait after failures in a row. */
export interface Backoff {
  /** After the first failure. */
  readonly baseMs: number;
  /** At most. */
  readonly maxMs: number;
}

/**
 * Doubles from `baseMs` to `maxMs`, then takes a random point of the upper half, so that keys or processes that failed
 * together do not come back together. `random` is in [0, 1).
 */
export function backoffMs(backoff: Backoff, failures: number, random: number): number {
  const full = Math.min(backoff.maxMs, backoff.baseMs * 2 ** Math.max(0, failures - 1));
  return full / 2 + (full / 2) * random;
}
