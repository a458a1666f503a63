import type { KubeClient } from '@flotilla/kube';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { findEarlierJoin } from '../klusterlet/earlier-join.ts';
import { canResume, joinByHand, resume } from '../klusterlet/join-by-hand.ts';
import { joinPreflight } from '../klusterlet/join-preflight.ts';
import { adviceFor, askAgain, printJoined, registered } from '../klusterlet/join-report.ts';
import { clusterToJoin } from '../operator/capi-cluster.ts';
import { deployMode, isHosted } from '../operator/deploy-mode.ts';
import { hostedCluster } from '../operator/hosted-cluster.ts';
import type { JoinOptions } from '../operator/join-options.ts';
import { usesOperator } from '../operator/runs-pods.ts';
import { startProgress } from '../output/progress.ts';

/** Prepares a cluster for its agent, which then requests to join. */
export async function join(context: CliContext, options: JoinOptions & GlobalOptions): Promise<void> {
  const { clusterName } = options;
  if (options.run && options.wait) {
    throw new CliError('usage', '--run and --wait exclude each other', '--run waits by itself, until Ctrl-C.');
  }
  using progress = startProgress(context);
  await using managed = await clusterToJoin(context, options);
  const earlier = await findEarlierJoin(managed.client, clusterName, context.clock);
  if (canResume(options, earlier)) return await resume(context, options, { managed, progress, earlier });
  // Flags first: a kubeconfig that is missing would otherwise be an error about files.
  const mode = deployMode(options, earlier?.klusterlet.spec?.deployOption?.mode);
  const byOperator = await installsOperator(managed.client, options);
  await using hosted = isHosted(options) ? await hostedCluster(context, options) : undefined;
  const prepared = await joinPreflight(context, options, { managed, hosted, mode, progress, earlier });
  if (!byOperator) return await joinByHand(context, options, { managed, progress, earlier, ...prepared });
  const { joinByOperator } = await import('../operator/join-operator.ts');
  const { hub, values, cluster } = prepared;
  const isInstalled = await joinByOperator(context, options, {
    managed,
    progress,
    agent: { ...values, mode },
    earlier: earlier?.klusterlet,
    ...(hosted && { hosted: hosted.access }),
  });
  if (!isInstalled) return;
  await options.onInstalled?.();
  if (earlier && !cluster) await askAgain(managed, earlier, progress);
  if (options.wait) await registered(context, hub, options, progress);
  const advice = adviceFor(context, options, cluster);
  printJoined(context, options, { address: hub.address, text: advice.text, accept: advice.accept });
}

/** An agent that runs here needs none in the cluster. */
async function installsOperator(client: KubeClient, options: JoinOptions): Promise<boolean> {
  const byHand = options.run === true && options.operator === undefined;
  if (!byHand && (await usesOperator(client, options))) {
    if (!options.run) return true;
    throw new CliError('usage', '--run and --operator exclude each other', 'The operator runs the agent.');
  }
  if (!isHosted(options)) return byHand ? usesOperator(client, { ...options, operator: false }) : false;
  throw new CliError('usage', '--mode hosted needs the operator', 'Leave out --run, or add --operator=true.');
}
