import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real-clock.ts';
import { KubeError } from '../errors/kube-error.ts';
import { createLogger, type ProcessLogger } from '../log/create-logger.ts';
import type { Logger } from '../log/logger.ts';
import { serializeError } from '../log/serialize-error.ts';
import { Metrics } from '../metrics/metrics.ts';
import { type KitMetricsFactory, kitMetricsFor } from '../metrics/prometheus-kit-metrics.ts';
import { formatDuration } from './duration.ts';
import { exitCodeOf, exitCodes } from './exit-code.ts';
import { Health } from './health/health.ts';
import { processOptions } from './option-groups.ts';
import { defineOptions, type OptionDefinitions, type OptionValues } from './options/definition.ts';
import { parseOptions } from './options/parse-options.ts';
import { nodeHost, type ProcessHost } from './process-host.ts';
import { serveProcess } from './serve-process.ts';
import { type Shutdown, watchShutdown } from './shutdown.ts';

/** What a process is. */
export interface ProcessDefinition<D extends OptionDefinitions> {
  name: string;
  version: string;
  /** Shown by --help. */
  description?: string;
  /** Besides those that every process has (`processOptions`). */
  options: D;
  /** Does the work. Ends when it is done, or soon after `signal` aborts. */
  main(context: ProcessContext<D>): Promise<void>;
  host?: ProcessHost;
  clock?: Clock;
}

/** What `main` is given. */
export interface ProcessContext<D extends OptionDefinitions> {
  readonly options: OptionValues<D> & OptionValues<typeof processOptions>;
  /** Aborts on SIGTERM and SIGINT. What still runs `--shutdown-grace-period` later is cut off. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly clock: Clock;
  /** Register what must be well; `/readyz` fails by itself once the end has begun. */
  readonly health: Health;
  /** For metrics of one's own. */
  readonly metrics: Metrics;
  /** For clients and controllers: `kitMetrics('hub')`. */
  readonly kitMetrics: KitMetricsFactory;
}

/**
 * Runs a process from its command line to its exit code: options, log, metrics, health and debug endpoints, signals and
 * an orderly end. Exits with one of `exitCodes`, or with 128 + n when a second signal cuts it short.
 */
export async function runProcess<const D extends OptionDefinitions>(definition: ProcessDefinition<D>): Promise<void> {
  const { host = nodeHost() } = definition;
  let code: number;
  try {
    code = await start(definition, host);
  } catch (error) {
    // Nothing runs yet, and who started it is looking: words rather than a log line with a stack.
    const { message, hint } = KubeError.from(error);
    host.complain(`Error: ${message}\n${hint}\n`);
    code = exitCodeOf(error);
  }
  host.exit(code);
}

/** Everything up to the first line of the log; throws what the user can mend on the command line. */
async function start<D extends OptionDefinitions>(
  definition: ProcessDefinition<D>,
  host: ProcessHost,
): Promise<number> {
  const { name, version, description, clock = realClock } = definition;
  const parsed = parseOptions(defineOptions<OptionDefinitions>({ ...processOptions, ...definition.options }), {
    argv: host.argv,
    env: host.env,
    program: name,
    ...(description !== undefined && { description }),
  });
  if (parsed.kind === 'help') host.print(parsed.text);
  if (parsed.kind === 'version') host.print(`${name} ${version}\n`);
  if (parsed.kind !== 'run') return exitCodes.ok;
  host.favourSmallMemory?.();

  // What was parsed is both sets of definitions in one; the compiler cannot see through the spread of a generic.
  const options = parsed.values as ProcessContext<D>['options'];
  const log = await openLog(host, clock, options);
  for (const warning of parsed.warnings) log.warn(warning);
  log.info('starting', { process: name, version, node: process.version });

  const metrics = new Metrics({ clock });
  metrics
    .gauge({ name: 'flotilla_build_info', help: 'Always 1; the labels tell what runs.', labels: ['name', 'version'] })
    .set({ name, version }, 1);
  using shutdown = watchShutdown(host, log, metrics);
  const health = new Health({ clock, log });
  shutdown.signal.addEventListener('abort', () => health.drain(), { once: true });
  const kitMetrics = kitMetricsFor(metrics);
  const { signal } = shutdown;
  const serving = { options, health, metrics, kitMetrics: kitMetrics('serving'), log, clock, signal };
  const server = await serveProcess(serving);
  const context = { options, signal, log, clock, health, metrics, kitMetrics };
  // A `main` that only waits for the signal holds no socket, and Node ends a process in which nothing is left to happen.
  const alive = new AbortController();
  clock.sleep(Number.POSITIVE_INFINITY, alive.signal).catch(() => {});
  const code = await ended(definition.main(context), shutdown, { log, clock, graceMs: options.shutdownGracePeriod });
  await server?.close();
  alive.abort();
  log.info('ended', { exitCode: code });
  return code;
}

function openLog(
  host: ProcessHost,
  clock: Clock,
  options: OptionValues<typeof processOptions>,
): Promise<ProcessLogger> {
  const { POD_NAME: podName } = host.env;
  return createLogger({
    clock,
    format: options.loggingFormat ?? (host.isTerminal ? 'text' : 'json'),
    // klog's levels 4 and above are for developers.
    level: options.verbosity >= 4 ? 'debug' : options.logLevel,
    ...(podName && { fields: { podName } }),
    ...(host.logDestination && { destination: host.logDestination }),
  });
}

/** Waits for `main`; after the signal no longer than the grace period. */
async function ended(
  main: Promise<void>,
  shutdown: Shutdown,
  { log, clock, graceMs }: { log: Logger; clock: Clock; graceMs: number },
): Promise<number> {
  const outcome = main.then(
    () => exitCodes.ok,
    (error: unknown) => {
      if (shutdown.signal.aborted && isAbort(error, shutdown.signal)) return exitCodes.ok;
      log.error('failed', { err: serializeError(error) });
      return exitCodeOf(error);
    },
  );
  const { promise: tooLate, resolve } = Promise.withResolvers<number>();
  let cancel = () => {};
  const startGrace = () => {
    cancel = clock.schedule(graceMs, () => {
      log.error('work did not end in time and is cut off', { shutdownGracePeriod: formatDuration(graceMs) });
      resolve(exitCodes.failed);
    });
  };
  shutdown.signal.addEventListener('abort', startGrace, { once: true });
  const code = await Promise.race([outcome, tooLate]);
  shutdown.signal.removeEventListener('abort', startGrace);
  cancel();
  return shutdown.faulty ? exitCodes.fault : code;
}

/** True for the errors by which code tells that it stopped because it was asked to. */
const isAbort = (error: unknown, signal: AbortSignal): boolean =>
  error === signal.reason || KubeError.from(error).code === 'Canceled';
