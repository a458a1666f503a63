import { access, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { managedClusterAddOns } from '@flotilla/api-types';
import { applyObjects } from '@flotilla/install';
import type { KubeClient } from '@flotilla/kube';
import { concatMap, fromEvent, lastValueFrom, of, takeUntil } from 'rxjs';
import {
  type AddOnProgram,
  printInstall,
  type RunningCommand,
  requireAgent,
  startCommand,
} from '../addon/dev/addon-program.ts';
import { followAddOns } from '../addon/dev/follow-addons.ts';
import { runLocalAgent } from '../addon/dev/local-agents.ts';
import { followUnservedKinds } from '../addon/dev/unserved-kinds.ts';
import { watchDirectory } from '../addon/dev/watch-directory.ts';
import { cliOwner } from '../cluster/owner.ts';
import type { CliContext, WaitOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { type Fleet, startFleet } from '../up/fleet.ts';
import { makeTemporaryDirectory } from '../up/temporary-directory.ts';
import { type Manifest, parseManifests } from '../work/manifests.ts';

/** The flags of `addon dev`. */
export interface AddOnDevOptions extends WaitOptions {
  readonly clusters: number;
  readonly main: string;
  readonly runAgents?: boolean;
}

/** Kinds that the hub of a fleet needs of an add-on; its controller runs here, as an administrator. */
const needed = ['CustomResourceDefinition', 'ClusterManagementAddOn'];

/** Runs an add-on on a fleet of its own, again after each save, and reports what changes on each cluster. */
export async function developAddOn(
  context: CliContext,
  path: string | undefined,
  options: AddOnDevOptions,
): Promise<void> {
  const program: AddOnProgram = { directory: resolve(path ?? '.'), main: options.main, env: context.env };
  await requireProgram(program, context.program);
  const offered = await readOffered(program);
  if (options.runAgents) await requireAgent(program);
  const names = offered
    .filter(({ kind }) => kind === 'ClusterManagementAddOn')
    .map(({ metadata }) => metadata?.name ?? '');

  await using cleanup = new AsyncDisposableStack();
  const directory = await makeTemporaryDirectory();
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  const begin = context.clock.monotonic();
  const report = (line: string): void => {
    const seconds = ((context.clock.monotonic() - begin) / 1000).toFixed(1);
    context.out.write(`${seconds.padStart(6)}s  ${line}\n`);
  };
  const fleet = cleanup.use(
    await startFleet({
      ...{ directory, keep: false, real: false, autoAccept: true, auth: 'csr', examples: false },
      ...{ clusters: options.clusters, context, report: () => {} },
    }),
  );
  await fleet.ready(AbortSignal.any([context.signal, AbortSignal.timeout(options.timeout * 1000)]));
  const { client, kubeconfigPath } = fleet.hub;
  const clusters = fleet.managed.map(({ name }) => name);
  report(`a hub with ${clusters.join(', ')} runs: kubectl --kubeconfig ${kubeconfigPath} get managedclusteraddons -A`);
  cleanup.use(followAddOns({ client, clock: context.clock, report }));
  await offer(context, client, offered, { names, clusters });
  cleanup.use(followUnservedKinds({ client, clock: context.clock, report }));
  // Watched first: what is saved while the program reads its sources starts it again.
  const { saves } = cleanup.use(await watchDirectory(program.directory));
  const controller = startCommand(
    program,
    ['controller', '--kubeconfig', kubeconfigPath, '--disable-leader-election'],
    report,
  );
  const running = [
    controller,
    ...(options.runAgents ? localAgents(context, program, { fleet, names, directory, report }) : []),
  ];
  for (const command of running) cleanup.use(command);
  context.err.write('Save a file of the add-on, and see what changes. Ctrl-C ends it and leaves nothing behind.\n');
  const restarts = saves.pipe(
    takeUntil(context.signal.aborted ? of(true) : fromEvent(context.signal, 'abort')),
    concatMap(async (save) => {
      report(save);
      await Promise.all(running.map((command) => command.restart()));
      await offerSaved(context, client, program).catch((error: Error) => report(error.message));
    }),
  );
  await lastValueFrom(restarts, { defaultValue: undefined });
}

async function requireProgram({ directory, main }: AddOnProgram, program: string): Promise<void> {
  await access(join(directory, main)).catch((cause: unknown) => {
    const hint = `Name the directory of an add-on (\`${program} addon dev ./my-addon\`), and its program by --main. To begin one: npm create flotilla-addon my-addon`;
    throw new CliError('usage', `there is no ${main} in ${directory}`, hint, cause);
  });
}

/** The agents of the add-ons, on all clusters. */
function localAgents(
  { clock }: CliContext,
  program: AddOnProgram,
  { fleet, names, directory, report }: LocalAgentsInput,
): RunningCommand[] {
  const common = { program, hub: fleet.hub, directory: join(directory, 'agents'), clock, report };
  return names.flatMap((addOn) => fleet.managed.map((managed) => runLocalAgent({ ...common, addOn, managed })));
}

interface LocalAgentsInput {
  readonly fleet: Fleet;
  readonly names: readonly string[];
  readonly directory: string;
  readonly report: (line: string) => void;
}

/** What the sources of the add-on, as they are now, want from the hub. */
async function readOffered(program: AddOnProgram): Promise<Manifest[]> {
  const objects = parseManifests(await printInstall(program), `the output of ${program.main} install`);
  return objects.filter(({ kind }) => needed.includes(kind));
}

/** Applies what a save changed of the kinds that come with the add-on. Its controller reports a program that does not start. */
async function offerSaved({ clock }: CliContext, client: KubeClient, program: AddOnProgram): Promise<void> {
  const offered = await readOffered(program).catch(() => []);
  await applyObjects(client, offered, { owner: cliOwner, clock });
}

/** Makes the hub offer the add-on, and enables it on all clusters. */
async function offer(
  { clock }: CliContext,
  client: KubeClient,
  objects: readonly Manifest[],
  { names, clusters }: { readonly names: readonly string[]; readonly clusters: readonly string[] },
): Promise<void> {
  await applyObjects(client, objects, { owner: cliOwner, clock });
  const addOns = client.resource(managedClusterAddOns);
  for (const name of names) {
    for (const namespace of clusters) await addOns.create({ metadata: { namespace, name }, spec: {} });
  }
}
