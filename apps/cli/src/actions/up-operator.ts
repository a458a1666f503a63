import { once } from 'node:events';
import { managedClusters } from '@flotilla/api-types';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { clusterTable } from '../hub/cluster-rows.ts';
import { formatValue, isMachineFormat } from '../output/format.ts';
import { claimDirectory } from '../up/control-socket.ts';
import { openFleetDirectory } from '../up/fleet-directory.ts';
import { endStep, tryNext } from '../up/next-steps.ts';
import { type OperatedFleet, startOperatedFleet } from '../up/operated-fleet.ts';
import { readyFleet, removeReadyFile, writeReadyFile } from '../up/ready-file.ts';
import type { UpOptions } from './up.ts';

/** Each cluster has a node and some pods, which are processes. */
const mostClusters = 10;

/** Starts a fleet in which operators install hub and agents as pods, and waits for its end. */
export async function upByOperator(context: CliContext, options: UpOptions & GlobalOptions): Promise<void> {
  const { clusters, output, timeout, dataDir, kube = false, registrationAuth: auth } = options;
  if (clusters < 1 || clusters > mostClusters) {
    throw new CliError('usage', `--clusters ${clusters} with --operator`, `Give 1 to ${mostClusters}.`);
  }
  await using directory = await openFleetDirectory(dataDir);
  const end = new AbortController();
  const signal = AbortSignal.any([context.signal, end.signal]);
  await using _claim = await claimDirectory(directory.path, () => end.abort());
  const begin = context.clock.monotonic();
  const messages = isMachineFormat(output) ? context.err : context.out;
  const report = (line: string) => {
    const seconds = ((context.clock.monotonic() - begin) / 1000).toFixed(1);
    messages.write(`${seconds.padStart(5)}s  ${line}\n`);
  };
  await using fleet = await startOperatedFleet({
    directory: directory.path,
    keep: dataDir !== undefined,
    real: kube,
    clusters,
    auth,
    timeout,
    context: { ...context, signal },
    report,
  });
  const { items } = await fleet.hub.client.resource(managedClusters).list();
  messages.write(`\n${clusterTable(items, false, context.clock.now())}\n${steps(context.program, fleet, options)}\n`);
  const value = await readyFleet(directory.path);
  if (isMachineFormat(output)) context.out.write(formatValue(value, output));
  await writeReadyFile(value);
  if (!signal.aborted) await once(signal, 'abort');
  await removeReadyFile(directory.path);
  context.err.write('\nStopping the fleet.\n');
}

function steps(program: string, { hub, managed }: OperatedFleet, { dataDir, detached = false }: UpOptions): string {
  const [first] = managed;
  const onHub = `--kubeconfig ${hub.kubeconfigPath}`;
  return [
    'Kubeconfigs:',
    ...[hub, ...managed].map(({ name, kubeconfigPath }) => `  ${name.padEnd(12)}${kubeconfigPath}`),
    '',
    tryNext({ detached }),
    '  # the pods of the hub, and those of an agent',
    `  kubectl -n open-cluster-management-hub get pods ${onHub}`,
    ...(first ? [`  kubectl -n open-cluster-management-agent get pods --kubeconfig ${first.kubeconfigPath}`] : []),
    '  # what the operator says of the hub',
    `  ${program} get hub-info ${onHub}`,
    ...(first
      ? [
          '  # a cluster through the hub, as yourself',
          `  ${program} proxy kubectl --cluster ${first.name} ${onHub} -- get pods -A`,
        ]
      : []),
    '  # whether all is well, and what to do if not',
    `  ${program} doctor ${onHub}`,
    '',
    endStep(program, { detached, ...(dataDir !== undefined && { dataDir }) }),
  ].join('\n');
}
