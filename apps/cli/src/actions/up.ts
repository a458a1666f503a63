import { once } from 'node:events';
import { type ManagedCluster, managedClusters, manifestWorks } from '@flotilla/api-types';
import type { ChangeOptions, CliContext, GlobalOptions, WaitOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { clusterTable } from '../hub/cluster-rows.ts';
import { formatValue, isMachineFormat } from '../output/format.ts';
import { claimDirectory, refuseIfInUse } from '../up/control-socket.ts';
import { checkDataDirectory } from '../up/data-directory.ts';
import { detachUp, fleetDirectory } from '../up/detach.ts';
import type { UpAuthType } from '../up/drivers.ts';
import { clusterNames, type Fleet, startFleet } from '../up/fleet.ts';
import { openFleetDirectory } from '../up/fleet-directory.ts';
import { type FleetFiles, nextSteps } from '../up/next-steps.ts';
import { readyFleet, removeReadyFile, writeReadyFile } from '../up/ready-file.ts';
import { workTable } from '../work/work-rows.ts';

/** The flags of `up`. */
export interface UpOptions extends ChangeOptions, WaitOptions {
  readonly clusters: number;
  readonly dataDir?: string;
  readonly autoAccept?: boolean;
  readonly kube?: boolean;
  readonly registrationAuth: UpAuthType;
  readonly operator?: boolean;
  readonly detach?: boolean;
  /** For the process that `--detach` starts. */
  readonly detached?: boolean;
  readonly output: string;
}

const mostClusters = 100;

/** Starts a fleet and waits for its end. */
export async function up(context: CliContext, options: UpOptions & GlobalOptions): Promise<void> {
  if (options.clusters > mostClusters) {
    throw new CliError('usage', `--clusters ${options.clusters} is too many`, `Give 0 to ${mostClusters}.`);
  }
  const { output } = options;
  if (options.dryRun) return showPlan(context, options);
  if (options.detach) return startDetached(context, options);
  if (options.operator) {
    const { upByOperator } = await import('./up-operator.ts');
    return upByOperator(context, options);
  }
  await using directory = await openFleetDirectory(options.dataDir);
  const end = new AbortController();
  const signal = AbortSignal.any([context.signal, end.signal]);
  await using _claim = await claimDirectory(directory.path, () => end.abort());
  const begin = context.clock.monotonic();
  const seconds = () => ((context.clock.monotonic() - begin) / 1000).toFixed(1);
  const messages = isMachineFormat(output) ? context.err : context.out;
  const report = (line: string) => void messages.write(`${seconds().padStart(5)}s  ${line}\n`);

  await using fleet = await startFleet({
    directory: directory.path,
    keep: options.dataDir !== undefined,
    real: options.kube ?? false,
    clusters: options.clusters,
    autoAccept: options.autoAccept ?? false,
    auth: options.registrationAuth,
    context,
    report,
  });
  await ready(context, fleet, signal, options.timeout);
  if (!signal.aborted) {
    const { items } = await fleet.hub.client.resource(managedClusters).list();
    const { items: works } = await fleet.hub.client.resource(manifestWorks).list();
    const tables = [
      ...(items.length > 0 ? [clusterTable(items, false, context.clock.now())] : []),
      ...(works.length > 0 ? [workTable(works, true, context.clock.now())] : []),
    ];
    const steps = nextSteps(context.program, filesOf(fleet, items, options));
    messages.write(`\n${tables.join('\n')}\n${steps}\n`);
    const value = await readyFleet(directory.path);
    if (isMachineFormat(output)) context.out.write(formatValue(value, output));
    await writeReadyFile(value);
    // Ctrl-C may have come while that file was written.
    if (!signal.aborted) await once(signal, 'abort');
  }
  await removeReadyFile(directory.path);
  context.err.write('\nStopping the fleet.\n');
}

/** Starts the same in the background, and waits until it is ready. */
async function startDetached(context: CliContext, options: UpOptions & GlobalOptions): Promise<void> {
  const { output } = options;
  const flags = [
    ...(options.autoAccept ? ['--auto-accept'] : []),
    ...(options.kube ? ['--kube'] : []),
    ...(options.operator ? ['--operator'] : []),
    '--detached',
  ];
  const auth = ['--registration-auth', options.registrationAuth];
  const args = ['--clusters', String(options.clusters), '--timeout', String(options.timeout), ...auth, ...flags];
  const directory = fleetDirectory(context.env, options.dataDir);
  const { fleet, printed } = await detachUp(context, { directory, args, timeout: options.timeout });
  context.out.write(isMachineFormat(output) ? formatValue(fleet, output) : printed);
}

/** Prints what would be started, and changes nothing. */
async function showPlan(context: CliContext, options: UpOptions): Promise<void> {
  const keeps = options.dataDir !== undefined || options.detach;
  const directory = keeps ? fleetDirectory(context.env, options.dataDir) : undefined;
  if (directory !== undefined) {
    await checkDataDirectory(directory);
    await refuseIfInUse(directory);
  }
  const clusters = clusterNames(options);
  const kind = options.kube ? 'real kube-apiservers' : 'embedded API servers';
  const place = directory ?? 'a temporary directory';
  context.out.write(
    isMachineFormat(options.output)
      ? formatValue({ dryRun: true, directory: directory ?? null, hub: 'hub', clusters }, options.output)
      : `Would start ${['a hub', ...(clusters.length > 0 ? [clusters.join(', ')] : [])].join(' and ')} on ${kind} in ${place}.\n`,
  );
}

/** What the user may do next, by what the hub has of each cluster. */
function filesOf(
  fleet: Fleet,
  clusters: readonly ManagedCluster[],
  { dataDir, detached = false }: UpOptions,
): FleetFiles {
  const { waiting, hub, managed, tryFile } = fleet;
  const accepted = clusters.filter(({ spec }) => spec?.hubAcceptsClient).map(({ metadata }) => metadata?.name ?? '');
  const isWaiting = clusters.some(({ metadata }) => metadata?.name === waiting) && !accepted.includes(waiting ?? '');
  return {
    hub,
    managed,
    tryFile,
    accepted,
    detached,
    ...(isWaiting && waiting !== undefined && { waiting }),
    ...(dataDir !== undefined && { dataDir }),
  };
}

/** Waits for the fleet, not longer than the time-out. Ctrl-C meanwhile is an ordinary end. */
async function ready(context: CliContext, fleet: Fleet, signal: AbortSignal, timeout: number): Promise<void> {
  const late = new AbortController();
  const cancel = context.clock.schedule(timeout * 1000, () => late.abort());
  try {
    await fleet.ready(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    if (signal.aborted) return;
    if (!late.signal.aborted) throw error;
    throw new CliError(
      'timeout',
      `not all clusters are Available after ${timeout}s; the lines above show how far each came`,
      'A slow machine may need more: --timeout 600. Fewer clusters are faster: --clusters 1.',
    );
  } finally {
    cancel();
  }
}
