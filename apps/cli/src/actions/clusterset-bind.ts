import { managedClusterSetBindings } from '@flotilla/api-types';
import { oneName, requireNamespace, requireSet } from '../clusterset/find-set.ts';
import type { ChangeOptions, CliContext, GlobalOptions } from '../context.ts';
import { requireHub } from '../hub/accept.ts';

/** The flags of `clusterset bind` and `clusterset unbind`. */
export interface ClusterSetBindOptions extends ChangeOptions {
  readonly namespace: string;
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
  if (await bindings.find(`${namespace}/${name}`)) {
    context.out.write(`Clusterset ${name} is already bound to Namespace ${namespace}\n`);
    return;
  }
  // The name of a binding is that of its set.
  await bindings.create({ metadata: { namespace, name }, spec: { clusterSet: name } }, { dryRun });
  context.out.write(`Clusterset ${name} is bound to Namespace ${namespace}${dryRun ? ' (dry run)' : ''}\n`);
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
  context.out.write(`Clusterset ${name} is unbind from namespace ${namespace}${dryRun ? ' (dry run)' : ''}\n`);
}
