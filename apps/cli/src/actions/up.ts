import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { managedClusters, manifestWorks } from '@flotilla/api-types';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors.ts';
import { clusterTable } from '../hub/cluster-rows.ts';
import { formatValue, isMachineFormat } from '../output/format.ts';
import { claimDirectory } from '../up/control-socket.ts';
import { makeDataDirectory } from '../up/data-directory.ts';
import { detachUp, fleetDirectory } from '../up/detach.ts';
import { type Fleet, startFleet } from '../up/fleet.ts';
import { fleetValue } from '../up/fleet-value.ts';
import { nextSteps } from '../up/next-steps.ts';
import { workTable } from '../work/work-rows.ts';

/** The flags of `up`. */
export interface UpOptions {
  readonly clusters: number;
  readonly dataDir?: string;
  readonly autoAccept?: boolean;
  readonly kube?: boolean;
  readonly detach?: boolean;
  readonly output: string;
}

const mostClusters = 100;

/** Starts a fleet and waits for its end. */
export async function up(context: CliContext, options: UpOptions & GlobalOptions): Promise<void> {
  if (options.clusters < 1 || options.clusters > mostClusters) {
    throw new CliError(
      'usage',
      `--clusters ${options.clusters} is too ${options.clusters < 1 ? 'few' : 'many'}`,
      `Give 1 to ${mostClusters}.`,
    );
  }
  const { output } = options;
  if (options.detach) {
    const flags = [...(options.autoAccept ? ['--auto-accept'] : []), ...(options.kube ? ['--kube'] : [])];
    const args = ['--clusters', String(options.clusters), '--timeout', String(options.timeout), ...flags];
    const directory = fleetDirectory(context.env, options.dataDir);
    const story = await detachUp(context, { directory, args, timeout: options.timeout });
    context.out.write(isMachineFormat(output) ? formatValue(await fleetValue(directory), output) : story);
    return;
  }
  await using directory = await openDirectory(options.dataDir);
  const end = new AbortController();
  const signal = AbortSignal.any([context.signal, end.signal]);
  await using _claim = await claimDirectory(directory.path, () => end.abort());
  const begin = context.clock.monotonic();
  const seconds = () => ((context.clock.monotonic() - begin) / 1000).toFixed(1);
  const people = isMachineFormat(output) ? context.err : context.out;
  const tell = (line: string) => void people.write(`${seconds().padStart(5)}s  ${line}\n`);

  await using fleet = await startFleet({
    directory: directory.path,
    keep: options.dataDir !== undefined,
    real: options.kube ?? false,
    clusters: options.clusters,
    autoAccept: options.autoAccept ?? false,
    context,
    tell,
  });
  await ready(context, fleet, signal, options.timeout);
  if (!signal.aborted) {
    const { items } = await fleet.hub.client.resource(managedClusters).list();
    const { items: works } = await fleet.hub.client.resource(manifestWorks).list();
    const tables = [clusterTable(items, false, context.clock.now()), workTable(works, true, context.clock.now())];
    people.write(`\n${tables.join('\n')}\n${nextSteps(context.program, fleet, options.dataDir)}\n`);
    if (isMachineFormat(output)) context.out.write(formatValue(await fleetValue(directory.path), output));
    await new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }));
  }
  context.err.write('\nEnding everything.\n');
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

/** The data directory, or one that goes away with the process. */
async function openDirectory(dataDir: string | undefined): Promise<AsyncDisposable & { readonly path: string }> {
  if (dataDir !== undefined) {
    const path = resolve(dataDir);
    await makeDataDirectory(path);
    return { path, async [Symbol.asyncDispose]() {} };
  }
  const path = await mkdtemp(join(tmpdir(), 'flotilla-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
