import type { Clock } from '@flotilla/kube';

/** The epoch of snowflake ids. */
const epochMs = 1_288_834_974_657;
/** All of Open Cluster Management's agents have this number. */
const node = 1n;
const stepsPerMs = 4096;

/**
 * Makes the sequence ids of status events: snowflakes, which grow with each call. When one millisecond has no more of them, or the clock
 * was set back, the next millisecond after the last one used is taken, without waiting for it.
 */
export function sequenceIds(clock: Clock): () => string {
  let lastMs = 0;
  let step = 0;
  return () => {
    const nowMs = Math.max(clock.now() - epochMs, 0);
    if (nowMs > lastMs) {
      lastMs = nowMs;
      step = 0;
    } else if (step + 1 < stepsPerMs) step += 1;
    else {
      lastMs += 1;
      step = 0;
    }
    return String((BigInt(lastMs) << 22n) | (node << 12n) | BigInt(step));
  };
}
