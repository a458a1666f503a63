import { writeFile } from 'node:fs/promises';
import { klusterlets, type ManagedCluster, managedClusters, ObjectName } from '@flotilla/api-types';
import { type AgentValues, agentManifests, applyObjects, definitionsToApply, withOwner } from '@flotilla/install';
import { clusterFlags } from '../cluster/cluster-flags.ts';
import { withoutNamespaces } from '../cluster/namespaces.ts';
import { cliOwner } from '../cluster/owner.ts';
import { waitFor } from '../cluster/wait.ts';
import type { ChangeOptions, CliContext, Connection, GlobalOptions, WaitOptions } from '../context.ts';
import { addonEntry, addonFlags, type JoinAddonOptions } from '../drivers/addon-drivers.ts';
import type { JoinDriverOptions, ProgramSettings } from '../drivers/registration-driver.ts';
import { agentEntry, agentSettings } from '../drivers/registration-drivers.ts';
import { CliError } from '../errors/cli-error.ts';
import { type EarlierJoin, findEarlierJoin, forgetEarlierJoin } from '../klusterlet/earlier-join.ts';
import type { HubReach, ReachOptions } from '../managed/hub-reach.ts';
import { readToken, type TokenSource } from '../managed/hub-token.ts';
import {
  checkHub,
  checkNameIsFree,
  checkNotJoined,
  checkRights,
  checkToken,
  externalServer,
  startPreflight,
} from '../managed/preflight.ts';
import { wayToHub } from '../managed/way-to-hub.ts';
import { checkClusterName } from '../options/cluster-name.ts';
import { checkFeatureGates } from '../options/feature-gates.ts';
import { formatManifests, formatValue, isMachineFormat } from '../output/format.ts';
import { type Progress, startProgress } from '../output/progress.ts';
import { withoutSecrets } from '../output/redact.ts';

/** The flags of `join`. */
export interface JoinOptions
  extends TokenSource,
    ChangeOptions,
    WaitOptions,
    JoinDriverOptions,
    JoinAddonOptions,
    ReachOptions {
  readonly registrationAuth?: string;
  readonly klusterletAnnotation?: Readonly<Record<string, string>>;
  readonly featureGates?: Readonly<Record<string, string>>;
  readonly createNamespace: boolean;
  readonly singleton?: boolean;
  readonly clientCertExpirationSeconds?: number;
  readonly wait?: boolean;
  readonly run?: boolean;
  readonly output: string;
  readonly outputFile?: string;
}

/** Prepares a cluster for its agent, which then requests to join. */
export async function join(context: CliContext, options: JoinOptions & GlobalOptions): Promise<void> {
  const { clusterName } = options;
  if (options.run && options.wait) {
    throw new CliError('usage', '--run and --wait exclude each other', '--run waits by itself, until Ctrl-C.');
  }
  using progress = startProgress(context);
  await using managed = await context.connector.toCluster(options);
  const earlier = await findEarlierJoin(managed.client, clusterName, context.clock);
  if (canResume(options, earlier)) return await resume(context, options, { managed, progress, earlier });
  const { hub, values, cluster } = await preflight(context, options, { managed, progress, earlier });

  const { definitions, objects } = await agentManifests(values);
  const manifests = [
    ...(await definitionsToApply(managed.client, definitions, cliOwner)),
    ...(options.createNamespace ? objects : await withoutNamespaces(managed.client, objects)),
  ];
  const printed = formatManifests(manifests.map((manifest) => withoutSecrets(withOwner(cliOwner, manifest))));
  if (options.outputFile) await writeFile(options.outputFile, printed, { mode: 0o600 });
  if (options.dryRun) {
    context.out.write(printed);
    return;
  }
  progress.busy('Installing what the agent needs');
  await applyObjects(managed.client, manifests, { owner: cliOwner, clock: context.clock });
  progress.done(`Cluster ${clusterName} is ready for its agent.`);
  if (earlier && !cluster) {
    await forgetEarlierJoin(managed.client);
    progress.done(`The hub does not have ${clusterName} any more: the agent requests to join again.`);
  }
  const accept = `${context.program} accept --clusters ${clusterName}`;
  const isAccepted = cluster?.spec?.hubAcceptsClient === true;
  const advice = isAccepted
    ? `The hub has accepted ${clusterName} already.\n`
    : `Log onto the hub cluster and run:\n\n    ${accept}\n`;
  if (options.run) {
    progress.done(advice);
    await runHere(context, options, managed, progress);
    return;
  }
  const start = startSteps(context, options);
  if (options.wait) {
    progress.done(start);
    await registered(context, hub, options, progress);
  }
  context.out.write(
    isMachineFormat(options.output)
      ? formatValue({ cluster: clusterName, hub: hub.address, accept }, options.output)
      : [
          ...(options.wait ? [] : [`${start}\n${isAccepted ? '' : 'Then: '}`]),
          advice,
          ...(isAccepted ? [] : ['\nThis is not needed when the ManagedClusterAutoApproval feature is enabled.\n']),
        ].join(''),
  );
}

/** Whether the agent of a cluster is only to be run again: it has credentials, and nothing was said that would need a token. */
const canResume = (
  { run, hubToken, hubTokenFile, hubApiserver, grpcServer }: JoinOptions,
  earlier: EarlierJoin | undefined,
): earlier is EarlierJoin & { server: string } =>
  run === true &&
  hubToken === undefined &&
  hubTokenFile === undefined &&
  earlier?.server !== undefined &&
  (hubApiserver === undefined || hubApiserver.replace(/\/$/, '') === earlier.server) &&
  (grpcServer === undefined || grpcServer === earlier.server);

/** Runs the agent of a cluster that has joined, as it was set up. */
async function resume(
  context: CliContext,
  options: JoinOptions & GlobalOptions,
  {
    managed,
    progress,
    earlier,
  }: { managed: Connection; progress: Progress; earlier: EarlierJoin & { server: string } },
): Promise<void> {
  const { clusterName, dryRun } = options;
  progress.done(`Cluster ${clusterName} has credentials for ${earlier.server}: its agent goes on with them.`);
  if (earlier.isRemoved) {
    progress.done(
      `The hub has removed ${clusterName} since. To join again, run the command that \`${context.program} get token\` prints on the hub.`,
    );
  }
  if (!dryRun) await runHere(context, options, managed, progress);
}

/** How to start an agent, which asks the hub: without one there is nothing to accept. */
function startSteps({ program, agentManifests }: CliContext, { clusterName }: JoinOptions): string {
  return [
    `Start the agent of ${clusterName}, if it does not run yet. In this terminal, until Ctrl-C: the same command with --run,`,
    '',
    `    ${program} join … --cluster-name ${clusterName} --run`,
    '',
    `or in the cluster, once the image flotilla/singleton is built and can be pulled there:`,
    '',
    `    kubectl apply -f ${agentManifests}`,
    '',
  ].join('\n');
}

const runAgain = (context: CliContext, options: JoinOptions & GlobalOptions): string =>
  [context.program, 'join --cluster-name', options.clusterName, '--run', ...clusterFlags(context, options)].join(' ');

/** For who forgot the token: perhaps none is needed. */
const againWithoutToken = (
  context: CliContext,
  options: JoinOptions & GlobalOptions,
  earlier: EarlierJoin | undefined,
): string =>
  earlier?.server === undefined
    ? ''
    : ` To run the agent of this cluster again, no token is needed: \`${runAgain(context, options)}\`.`;

/** Checks all that can be checked before something is changed. Returns how to reach the hub, and what to install. */
async function preflight(
  context: CliContext,
  options: JoinOptions & GlobalOptions,
  { managed, progress, earlier }: { managed: Connection; progress: Progress; earlier: EarlierJoin | undefined },
): Promise<{ hub: HubReach; values: AgentValues; cluster: ManagedCluster | undefined }> {
  const check = startPreflight(progress);
  const clusterName = await check('cluster name', () => checkClusterName(options.clusterName));
  const featureGates = await check('feature gates', () =>
    checkFeatureGates('spoke-registration', options.featureGates),
  );
  const registrationDriver = await check('registration', () =>
    agentEntry(options.registrationAuth, options, managed.access, earlier?.klusterlet),
  );
  const addonDriver = await check('registration of add-ons', () => addonEntry(options, earlier?.klusterlet));
  const way = wayToHub(registrationDriver.authType);
  const address = await check('address of the hub', () => way.addressOf(options));
  const token = await check('token', async () =>
    checkToken(await readToken(context, options, againWithoutToken(context, options, earlier)), context.clock.now()),
  );
  await check('rights on this cluster', () => checkRights(managed.client, options));
  await check('this cluster', () => checkNotJoined(managed.client, clusterName));
  const hub = await way.reach({ context, options, address, token, check });
  await using connection = await hub.connect();
  await check('hub', () => checkHub(connection.client));
  const cluster = await check('name on the hub', () => checkNameIsFree(connection.client, clusterName, managed.client));
  const external = await externalServer(managed.client);
  const { clientCertExpirationSeconds, klusterletAnnotation: annotations } = options;
  return {
    hub,
    cluster,
    values: {
      clusterName,
      ...hub.bootstrap,
      // What was chosen once is not changed by a command that says nothing about it.
      mode: options.singleton ? 'Singleton' : (earlier?.klusterlet.spec?.deployOption?.mode ?? 'Default'),
      featureGates,
      registrationDriver,
      ...(addonDriver && { addonDriver }),
      programs: withFlags(agentSettings(registrationDriver), addonFlags(addonDriver)),
      ...(clientCertExpirationSeconds !== undefined && { clientCertExpirationSeconds }),
      ...(annotations && { annotations }),
      ...(external && { external }),
    },
  };
}

const withFlags = (settings: ProgramSettings, flags: Readonly<Record<string, string>>): ProgramSettings => ({
  ...settings,
  flags: { ...settings.flags, ...flags },
});

const phrases = {
  starting: 'starts',
  bootstrapping: 'requests to join, and waits for an administrator of the hub to accept it',
  joining: 'has its credentials and joins',
  running: 'has joined: the hub accepts its reports',
  stopped: 'has ended',
};

/** Runs the agent until Ctrl-C, with what it has to say. */
async function runHere(
  context: CliContext,
  options: JoinOptions & GlobalOptions,
  managed: Connection,
  progress: Progress,
): Promise<void> {
  const { runKlusterlet } = await import('../klusterlet/run-klusterlet.ts');
  const { progressLogger } = await import('../output/progress-logger.ts');
  const { watchKlusterlet } = await import('../klusterlet/klusterlet-watch.ts');
  const { clock } = context;
  const { clusterName } = options;
  const log = progressLogger(progress);
  const klusterlet = await managed.client.resource(klusterlets).get(ObjectName.Klusterlet);
  let hasCredentials = false;
  const onPhase = (phase: keyof typeof phrases) => {
    hasCredentials ||= phase === 'joining' || phase === 'running';
    progress.done(`The agent of ${clusterName} ${phrases[phase]}.`);
  };
  using joined = watchKlusterlet(managed.client, clock);
  const signal = AbortSignal.any([context.signal, joined.signal]);
  const onObstacle = (message: string) => progress.done(`Attention: ${message}.`);
  await runKlusterlet({ managed: managed.client, klusterlet, clock, signal, log, onPhase, onObstacle });
  if (joined.signal.aborted) progress.done(`Cluster ${clusterName} was removed from the hub.`);
  else if (hasCredentials) progress.done(`To run the agent again: ${runAgain(context, options)}`);
  else progress.done('The agent has no credentials yet. To run it again, repeat this command with its token.');
}

/** Waits until the hub knows the cluster: its agent runs. */
async function registered(
  context: CliContext,
  hub: HubReach,
  { clusterName, timeout }: JoinOptions & GlobalOptions,
  progress: Progress,
): Promise<void> {
  await using connection = await hub.connect();
  await waitFor(
    context,
    {
      goal: 'the agent to register the cluster',
      hint: `Is an agent running? Start one here: \`${context.program} join … --run\`.`,
      timeoutMs: timeout * 1000,
      progress,
    },
    async () =>
      (await connection.client.resource(managedClusters).find(clusterName))
        ? { found: true }
        : { pending: 'the hub does not know it yet' },
  );
}
