import { managedClusterSetBindings, managedClusterSets } from '@flotilla/api-types';
import { waitFor } from '../cluster/wait.ts';
import { oneName } from '../clusterset/find-set.ts';
import type { ChangeOptions, CliContext, GlobalOptions, WaitOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { startChangeReport } from '../output/change-report.ts';
import { withKind } from '../output/kubectl-name.ts';
import { startProgress } from '../output/progress.ts';

/** The flags of `delete clusterset`. */
export interface DeleteClusterSetOptions extends ChangeOptions, WaitOptions {
  readonly output: string;
}

/** The sets that the hub makes again. */
const builtIn = ['default', 'global'];

/** Deletes a cluster set that no namespace is bound to, and waits until it is gone. */
export async function deleteClusterSet(
  context: CliContext,
  names: readonly string[],
  options: DeleteClusterSetOptions & GlobalOptions,
): Promise<void> {
  const name = oneName(names, 'delete clusterset', context.program);
  const { dryRun = false, timeout } = options;
  if (builtIn.includes(name)) {
    throw new CliError('precondition', `Clusterset ${name} can not be deleted`, 'The hub makes it again by itself.');
  }
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  const sets = hub.client.resource(managedClusterSets);
  const found = await sets.find(name);
  const report = startChangeReport(context, found ? options : { output: options.output });
  if (!found) {
    report.add(withKind(managedClusterSets, { metadata: { name } }), `Clusterset ${name} is already deleted`);
    return report.end();
  }
  const { items } = await hub.client.resource(managedClusterSetBindings).list();
  const bound = items.filter(({ spec }) => spec?.clusterSet === name).map(({ metadata }) => metadata?.namespace ?? '');
  if (bound.length > 0) {
    throw new CliError(
      'precondition',
      `Clusterset ${name} still bind to a namespace: ${bound.sort().join(', ')}`,
      `Unbind it first: \`${context.program} clusterset unbind ${name} --namespace ${bound[0]}\`.`,
    );
  }
  if (!dryRun) {
    await sets.delete(name, { preconditions: { uid: found.metadata?.uid } });
    using progress = startProgress(context);
    const wait = {
      goal: `cluster set ${name} to be deleted`,
      hint: 'A finalizer holds it.',
      timeoutMs: timeout * 1000,
    };
    await waitFor(context, { ...wait, progress }, async () => {
      const left = await sets.find(name);
      return left?.metadata?.uid === found.metadata?.uid
        ? { pending: `finalizers: ${left?.metadata?.finalizers?.join(', ') ?? 'none'}` }
        : { found: true };
    });
  }
  report.add(withKind(managedClusterSets, found), `Clusterset ${name} is deleted`);
  report.end();
}
