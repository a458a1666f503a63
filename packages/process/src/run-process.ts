import { type Clock, type KubeClient, KubeError, type Logger, realClock } from '@flotilla/kube';
import { formatDuration } from '@flotilla/kube/meta';
import { exitCodeOf, exitCodes } from './exit-code.ts';
import { Health } from './health/health.ts';
import { createLogger, type ProcessLogger } from './log/create-logger.ts';
import { serializeError } from './log/serialize-error.ts';
import { Metrics } from './metrics/metrics.ts';
import { type KitMetricsFactory, kitMetricsFor } from './metrics/prometheus-kit-metrics.ts';
import { processOptions } from './option-groups.ts';
import { defineOptions, envPrefixOf, type OptionDefinitions, type OptionValues } from './options/definition.ts';
import { parseOptions } from './options/parse-options.ts';
import { nodeHost, type ProcessHost } from './process-host.ts';
import { serveProcess } from './serve-process.ts';
import { type Authorizer, delegatedAuthorizer } from './serving/delegated-authorizer.ts';
import { type Shutdown, watchShutdown } from './shutdown.ts';

/** What a process is. */
export interface ProcessDefinition<D extends OptionDefinitions> {
  name: string;
  version: string;
  /** Shown by --help. */
  description?: string;
  /** Begins the names of environment variables and metrics: `flotilla` → `FLOTILLA_KUBECONFIG`, `flotilla_build_info`. Default: the name. */
  prefix?: string;
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
  /**
   * Has the API server of a client decide who may read `/metrics` from another host; it needs `create` on tokenreviews and
   * subjectaccessreviews. Until then no other host may.
   */
  authorizeMetricsWith(client: Pick<KubeClient, 'resource'>): void;
}

/** The answer to callers from another host before the process knows whom to ask about them. */
const notConnected: Authorizer = async () => ({
  status: 503,
  body: 'this process is not connected to an API server yet, which would decide who may read this\n',
});

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
    // Nothing runs yet, and the user waits: a message rather than a log line with a stack.
    const { message, hint } = KubeError.from(error);
    host.printError(`Error: ${message}\n${hint}\n`);
    code = exitCodeOf(error);
  }
  host.exit(code);
}

/** All steps up to the first line of the log; throws errors that the user can fix on the command line. */
async function start<D extends OptionDefinitions>(
  definition: ProcessDefinition<D>,
  host: ProcessHost,
): Promise<number> {
  const { name, prefix = name, version, description, clock = realClock } = definition;
  const parsed = parseOptions(defineOptions<OptionDefinitions>({ ...processOptions, ...definition.options }), {
    argv: host.argv,
    env: host.env,
    program: name,
    envPrefix: envPrefixOf(prefix),
    ...(description !== undefined && { description }),
  });
  if (parsed.kind === 'help') host.print(parsed.text);
  if (parsed.kind === 'version') host.print(`${name} ${version}\n`);
  if (parsed.kind !== 'run') return exitCodes.ok;

  // What was parsed is both sets of definitions in one; the compiler cannot see through the spread of a generic.
  const options = parsed.values as ProcessContext<D>['options'];
  const log = await openLog(host, clock, options);
  for (const warning of parsed.warnings) log.warn(warning);
  log.info('starting', { process: name, version, node: process.version });

  const metrics = new Metrics({ clock, prefix: envPrefixOf(prefix).toLowerCase() });
  metrics
    .gauge({
      name: `${metrics.prefix}_build_info`,
      help: 'Always 1; the labels identify the build.',
      labels: ['name', 'version'],
    })
    .set({ name, version }, 1);
  using shutdown = watchShutdown(host, log, metrics);
  const health = new Health({ clock, log });
  shutdown.signal.addEventListener('abort', () => health.drain(), { once: true });
  const kitMetrics = kitMetricsFor(metrics);
  const { signal } = shutdown;
  let authorizer = notConnected;
  const authorize: Authorizer = (request) => authorizer(request);
  const serving = { options, health, metrics, kitMetrics: kitMetrics('serving'), log, clock, authorize, signal };
  const server = await serveProcess(serving);
  const authorizeMetricsWith = (client: Pick<KubeClient, 'resource'>) => {
    authorizer = delegatedAuthorizer({ client, clock });
  };
  const context = { options, signal, log, clock, health, metrics, kitMetrics, authorizeMetricsWith };
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
  // The signal may have come while the endpoints were started.
  if (shutdown.signal.aborted) startGrace();
  else shutdown.signal.addEventListener('abort', startGrace, { once: true });
  const code = await Promise.race([outcome, tooLate]);
  shutdown.signal.removeEventListener('abort', startGrace);
  cancel();
  return shutdown.faulty ? exitCodes.fault : code;
}

/** True for the errors of code that stopped because its signal aborted. */
const isAbort = (error: unknown, signal: AbortSignal): boolean =>
  error === signal.reason || KubeError.from(error).code === 'Canceled';
