import { managedClusterSets } from '@flotilla/api-types';
import { oneName } from '../clusterset/find-set.ts';
import type { ChangeOptions, CliContext, GlobalOptions } from '../context.ts';
import { requireHub } from '../hub/accept.ts';
import { startChangeReport } from '../output/change-report.ts';
import { withKind } from '../output/kubectl-name.ts';

/** The flags of `create clusterset`. */
export interface CreateClusterSetOptions extends ChangeOptions {
  readonly output: string;
}

/** Creates a cluster set. One that exists is left as it is. */
export async function createClusterSet(
  context: CliContext,
  names: readonly string[],
  options: CreateClusterSetOptions & GlobalOptions,
): Promise<void> {
  const name = oneName(names, 'create clusterset', context.program);
  const { dryRun = false } = options;
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  const sets = hub.client.resource(managedClusterSets);
  const found = await sets.find(name);
  const set = found ?? (await sets.create({ metadata: { name }, spec: {} }, { dryRun }));
  const report = startChangeReport(context, found ? { output: options.output } : options);
  report.add(withKind(managedClusterSets, set), `Clusterset ${name} is ${found ? 'already ' : ''}created`);
  report.end();
}
