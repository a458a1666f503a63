/** An address that answers this slowly counts as one that does not. */
export const limitMs = 1_000;

/**
 * A score from -100 to 100, for placements: 100 is at once, 0 is half the limit on average, and an address that does not answer counts
 * as -100. Without addresses nothing is known, which is 0.
 */
export function scoreOf(latencies: readonly (number | undefined)[]): number {
  if (latencies.length === 0) return 0;
  const each = latencies.map((latency) => 100 - 200 * Math.min(1, (latency ?? limitMs) / limitMs));
  return Math.round(each.reduce((sum, score) => sum + score, 0) / each.length);
}
