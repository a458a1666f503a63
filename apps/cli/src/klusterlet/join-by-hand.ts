import { klusterlets, ObjectName } from '@flotilla/api-types';
import { agentManifests, definitionsToApply } from '@flotilla/install';
import { withoutNamespaces } from '../cluster/namespaces.ts';
import { cliOwner } from '../cluster/owner.ts';
import { prepareWrites } from '../cluster/prepare-writes.ts';
import { perform } from '../cluster/writes.ts';
import type { CliContext, Connection, GlobalOptions } from '../context.ts';
import { agentEdit } from '../operator/agent-edit.ts';
import type { JoinOptions } from '../operator/join-options.ts';
import type { Progress } from '../output/progress.ts';
import type { EarlierJoin } from './earlier-join.ts';
import type { Prepared } from './join-preflight.ts';
import { adviceFor, askAgain, printJoined, registered } from './join-report.ts';
import { runAgain } from './run-again.ts';

/** Installs what an agent finds when it is started: here with `--run`, or by the user. */
export async function joinByHand(
  context: CliContext,
  options: JoinOptions & GlobalOptions,
  {
    managed,
    progress,
    earlier,
    hub,
    values,
    cluster,
  }: Prepared & { managed: Connection; progress: Progress; earlier: EarlierJoin | undefined },
): Promise<void> {
  const { clusterName } = options;
  const { definitions, objects } = await agentManifests(values);
  const { client } = managed;
  const installed = earlier ? objects.filter(({ kind }) => kind !== 'Klusterlet') : objects;
  const applied = [
    ...(await definitionsToApply(client, definitions, cliOwner)),
    ...(options.createNamespace ? installed : await withoutNamespaces(client, installed)),
  ];
  const edit = earlier && agentEdit(client, options, { agent: values, earlier: earlier.klusterlet });
  const writes = { applied, ...(edit && { edit }) };
  const isRepeated = earlier !== undefined;
  if (!(await prepareWrites(context, options, writes, { client, progress, isRepeated }))) return;
  progress.busy('Installing what the agent needs');
  await perform(client, writes, { owner: cliOwner, clock: context.clock });
  await options.onInstalled?.();
  progress.done(`Cluster ${clusterName} is ready for its agent.`);
  if (earlier && !cluster) await askAgain(managed, earlier, progress);
  const advice = adviceFor(context, options, cluster);
  if (options.run) {
    progress.done(advice.text);
    await runHere(context, options, managed, progress);
    return;
  }
  const start = startSteps(context, options);
  if (options.wait) {
    progress.done(start);
    await registered(context, hub, options, progress);
  }
  const steps = options.wait ? '' : `${start}\n${advice.isAccepted ? '' : 'Then: '}`;
  printJoined(context, options, { address: hub.address, text: `${steps}${advice.text}`, accept: advice.accept });
}

/** Whether the agent of a cluster is only to be run again: it has credentials, and nothing was said that would need a token. */
export const canResume = (
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
export async function resume(
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
function startSteps({ program, agentManifests }: CliContext, { clusterName, discovery }: JoinOptions): string {
  return [
    `Start the agent of ${clusterName}, if it does not run yet. In this terminal, until Ctrl-C: the same command with --run,`,
    '',
    `    ${program} ${discovery ? 'register' : 'join'} … --cluster-name ${clusterName} --run`,
    '',
    `or in the cluster, once the image flotilla/singleton is built and can be pulled there:`,
    '',
    `    kubectl apply -f ${agentManifests}`,
    '',
  ].join('\n');
}

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
  await runKlusterlet({
    managed: managed.client,
    access: managed.access,
    klusterlet,
    clock,
    signal,
    log,
    onPhase,
    onObstacle,
  });
  if (joined.signal.aborted) progress.done(`Cluster ${clusterName} was removed from the hub.`);
  else if (hasCredentials) progress.done(`To run the agent again: ${runAgain(context, options)}`);
  else progress.done('The agent has no credentials yet. To run it again, repeat this command with its token.');
}
