import { managedClusterSets } from '@flotilla/api-types';
import { oneName } from '../clusterset/find-set.ts';
import type { ChangeOptions, CliContext, GlobalOptions } from '../context.ts';
import { requireHub } from '../hub/accept.ts';

/** Creates a cluster set. One that exists is left as it is. */
export async function createClusterSet(
  context: CliContext,
  names: readonly string[],
  options: ChangeOptions & GlobalOptions,
): Promise<void> {
  const name = oneName(names, 'create clusterset', context.program);
  const { dryRun = false } = options;
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  const sets = hub.client.resource(managedClusterSets);
  if (await sets.find(name)) {
    context.out.write(`Clusterset ${name} is already created\n`);
    return;
  }
  await sets.create({ metadata: { name }, spec: {} }, { dryRun });
  context.out.write(`Clusterset ${name} is created${dryRun ? ' (dry run)' : ''}\n`);
}
