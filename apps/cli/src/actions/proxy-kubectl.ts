import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { runKubectl } from '../cluster/kubectl.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError, ProgramEnded } from '../errors/cli-error.ts';
import { memberAccess, memberNames, requireMember } from '../reach/member-access.ts';
import { splitArguments } from '../reach/split-arguments.ts';

/** The flags of `proxy kubectl`. */
export interface ProxyKubectlOptions {
  readonly cluster?: string;
  readonly args?: string;
}

/** Runs kubectl against a cluster, with a kubeconfig that is removed afterwards. */
export async function runKubectlThrough(
  context: CliContext,
  words: readonly string[],
  options: ProxyKubectlOptions & GlobalOptions,
): Promise<void> {
  const { cluster, args } = options;
  if (!cluster) throw new CliError('usage', '--cluster is missing', 'Name the cluster to reach: --cluster cluster1.');
  const argv = [...(args === undefined ? [] : splitArguments(args)), ...words];
  if (argv.length === 0) {
    throw new CliError('usage', 'there is nothing for kubectl to do', 'Give its arguments after --: -- get pods -A.');
  }
  await using cleanup = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-kubectl-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, 'kubeconfig.yaml');
  {
    await using hub = await context.connector.toCluster(options);
    await requireMember(context, hub, cluster);
    await writeKubeconfig(file, kubeconfigFor(memberAccess(hub.access, cluster), memberNames(cluster)));
  }
  const code = await runKubectl(context, argv, file);
  if (code !== 0) throw new ProgramEnded(code);
}
