import { managedClusters } from '@flotilla/api-types';
import { describeObject } from '../apply.ts';
import { connect } from '../connect.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors.ts';
import { requireHub } from '../hub/accept.ts';
import { bootstrapObjects, isMadeByCli } from '../hub/bootstrap-objects.ts';
import { clusterInfo } from '../hub/cluster-info.ts';
import { hubDefinitions } from '../hub/definitions.ts';
import { startProgress } from '../output/progress.ts';
import { waitFor } from '../waiting.ts';
import { type AddCommand, allOptions } from './command.ts';

export const addClean: AddCommand = (program, context) => {
  program
    .command('clean')
    .summary('make this cluster an ordinary one again')
    .description(
      'Takes away everything that init made, and says what. Refused while clusters are joined. The definitions of kinds go too, and with them the objects of these kinds.',
    )
    .addHelpText('after', '\nExamples:\n  $ flotilla clean --dry-run\n  $ flotilla clean --context kind-hub\n')
    .action((_options, command) => clean(context, allOptions(command)));
};

async function clean(context: CliContext, options: GlobalOptions): Promise<void> {
  await using hub = await connect(context, options);
  const { client } = hub;
  await requireHub(client);
  const { items } = await client.resource(managedClusters).list();
  if (items.length > 0) {
    throw new CliError(
      'precondition',
      `the hub still has clusters: ${items.map(({ metadata }) => metadata?.name).join(', ')}`,
      `Take them away first: \`${context.program} unjoin --cluster-name NAME --hub-kubeconfig FILE\` with the kubeconfig of each, or kubectl delete managedcluster NAME.`,
    );
  }
  using progress = startProgress(context);
  // In the other order than they were made in; the definitions last, since they are what makes it a hub.
  const objects = [clusterInfo(hub.access), ...bootstrapObjects().reverse(), ...(await hubDefinitions())];
  for (const object of objects) {
    const { apiVersion = '', kind = '', metadata } = object;
    const handle = await client.dynamic({ apiVersion, kind });
    const key = metadata?.namespace ? `${metadata.namespace}/${metadata.name}` : (metadata?.name ?? '');
    const found = await handle.find(key);
    // Somebody else's, such as the cluster-info of kubeadm, stays.
    if (!found || !(isMadeByCli(found) || kind === 'CustomResourceDefinition')) continue;
    const what = describeObject(object);
    if (!options.dryRun) {
      await handle.delete(key);
      const hint = `See what holds it: kubectl get ${kind} ${metadata?.name} -o yaml`;
      await waitFor(context, { goal: `${what} to go`, hint, timeoutMs: options.timeout * 1000, progress }, async () =>
        (await handle.find(key)) ? { pending: 'it is still there' } : { found: true },
      );
    }
    context.out.write(`${options.dryRun ? 'Would remove' : 'Removed'} ${what}\n`);
  }
}
