import { managedClusterSetBindings } from '@flotilla/api-types';
import { oneName, requireNamespace, requireSet } from '../clusterset/find-set.ts';
import type { ChangeOptions, CliContext, GlobalOptions } from '../context.ts';
import { requireHub } from '../hub/accept.ts';
import { startChangeReport } from '../output/change-report.ts';
import { withKind } from '../output/kubectl-name.ts';

/** The flags of `clusterset bind` and `clusterset unbind`. */
export interface ClusterSetBindOptions extends ChangeOptions {
  readonly namespace: string;
  readonly output: string;
}

/** Lets the placements of a namespace choose from a set. */
export async function bindClusterSet(
  context: CliContext,
  names: readonly string[],
  options: ClusterSetBindOptions & GlobalOptions,
): Promise<void> {
  const name = oneName(names, 'clusterset bind', context.program);
  const { namespace, dryRun = false } = options;
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  await requireSet(hub.client, name, context.program);
  await requireNamespace(hub.client, namespace);
  const bindings = hub.client.resource(managedClusterSetBindings);
  const found = await bindings.find(`${namespace}/${name}`);
  // The name of a binding is that of its set.
  const wanted = { metadata: { namespace, name }, spec: { clusterSet: name } };
  const binding = found ?? (await bindings.create(wanted, { dryRun }));
  const report = startChangeReport(context, found ? { output: options.output } : options);
  report.add(
    withKind(managedClusterSetBindings, binding),
    `Clusterset ${name} is ${found ? 'already ' : ''}bound to Namespace ${namespace}`,
  );
  report.end();
}

/** Takes a set from the placements of a namespace. One that is not bound is fine. */
export async function unbindClusterSet(
  context: CliContext,
  names: readonly string[],
  options: ClusterSetBindOptions & GlobalOptions,
): Promise<void> {
  const name = oneName(names, 'clusterset unbind', context.program);
  const { namespace, dryRun = false } = options;
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  if (!dryRun) await hub.client.resource(managedClusterSetBindings).delete(`${namespace}/${name}`);
  const report = startChangeReport(context, options);
  report.add(
    withKind(managedClusterSetBindings, { metadata: { namespace, name } }),
    `Clusterset ${name} is unbind from namespace ${namespace}`,
  );
  report.end();
}
