import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real-clock.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { Logger } from '../log/logger.ts';
import { stderrLogger } from '../log/stderr-logger.ts';
import { type KitMetrics, noMetrics } from '../metrics/kit-metrics.ts';
import type { Controller } from './controller.ts';
import { ControllerRun } from './controller-run.ts';

/** How long controllers run, and with what. */
export interface RunControllersOptions {
  /** Ends the run: a signal of the process, or the loss of leadership. */
  signal: AbortSignal;
  clock?: Clock;
  /** Default: standard error, without debug lines. `silentLogger` for none. */
  log?: Logger;
  metrics?: KitMetrics;
  /** How long caches may take for their first list; `Infinity` for no limit. Default 2 min. */
  syncTimeoutMs?: number;
  /** How long running reconciles may take to finish at the end, before their signals abort. Default 20 s. */
  drainTimeoutMs?: number;
  /** In [0, 1), for the jitter of back-offs. */
  random?: () => number;
}

/**
 * Runs controllers until the signal aborts; resolves when all are drained. Each starts as soon as the caches it watches and reads
 * are synced; one whose kinds are optional waits for them without a limit. Rejects only if another cache cannot be synced in time, with the reason; nothing a reconcile does ends the run.
 */
export async function runControllers(
  controllers: readonly Controller[],
  options: RunControllersOptions,
): Promise<void> {
  const { signal, clock = realClock, log = stderrLogger, metrics = noMetrics, random } = options;
  const { syncTimeoutMs = 120_000, drainTimeoutMs = 20_000 } = options;
  refuseDuplicates(controllers);
  const runs = controllers.map((controller) => new ControllerRun(controller, { clock, log, metrics, random }));
  const end = new AbortController();
  const stop = AbortSignal.any([signal, end.signal]);
  try {
    await Promise.all(
      runs.map(async (run) => {
        await run.sync({ signal: stop, timeoutMs: syncTimeoutMs });
        if (!stop.aborted) run.work();
      }),
    );
    await aborted(stop);
  } catch (error) {
    // An abort while caches sync is an ordinary end.
    if (!signal.aborted) throw error;
  } finally {
    // Those that still wait for their caches need not any more.
    end.abort();
    await Promise.all(runs.map((run) => run.drain(drainTimeoutMs)));
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

function refuseDuplicates(controllers: readonly Controller[]): void {
  const names = new Set<string>();
  for (const { name } of controllers) {
    if (names.has(name))
      throw new KubeError('Config', `two controllers are named "${name}": metrics and logs would mix them`);
    names.add(name);
  }
}
