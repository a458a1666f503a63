import type { Clock, KubeClient, Logger } from '@flotilla/kube';
import type { Target } from '../targets.ts';
import { connectLatency } from './latency.ts';
import { reportScore } from './report-score.ts';
import { limitMs, scoreOf } from './score.policy.ts';

/** What an agent measures, and where it reports. */
export interface ProbeInput {
  readonly hub: KubeClient;
  readonly cluster: string;
  readonly targets: readonly Target[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Default: a TCP connection. */
  readonly measure?: (target: Target, limitMs: number) => Promise<number | undefined>;
}

const intervalMs = 30_000;
/** Three reports may be lost before the score counts as 0. */
const validMs = 4 * intervalMs;

/** Measures and reports until the signal aborts. A hub that does not answer is tried again at the next interval. */
export async function runProbe({
  hub,
  cluster,
  targets,
  clock,
  log,
  signal,
  measure = connectLatency,
}: ProbeInput): Promise<void> {
  while (!signal.aborted) {
    const latencies = await Promise.all(targets.map((target) => measure(target, limitMs)));
    const report = { cluster, value: scoreOf(latencies), validUntil: clock.now() + validMs };
    await reportScore(hub, report).catch((error: unknown) => {
      if (!signal.aborted) log.warn('the score could not be reported', { error });
    });
    await clock.sleep(intervalMs, signal).catch(() => {});
  }
}
