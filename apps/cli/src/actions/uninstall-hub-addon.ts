import { managedClusterAddOns } from '@flotilla/api-types';
import { removeObjects } from '@flotilla/install';
import type { KubeClient } from '@flotilla/kube';
import { type BundleOptions, readBundles } from '../addon/hub-addon-bundles.ts';
import { removalOf } from '../cluster/removal.ts';
import type { ChangeOptions, CliContext, GlobalOptions, WaitOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { formatValue, isMachineFormat } from '../output/format.ts';
import { startProgress } from '../output/progress.ts';
import type { Manifest } from '../work/manifests.ts';
import { withNamespaces } from '../work/new-work.ts';

/** The flags of `uninstall hub-addon`. */
export interface UninstallHubAddOnOptions extends BundleOptions, ChangeOptions, WaitOptions {
  readonly namespace: string;
  readonly output: string;
}

/** Kinds that others may use by now: they stay. */
const kept = ['CustomResourceDefinition', 'Namespace'];

/** Takes away what `install hub-addon` applied, once no cluster has the add-ons. */
export async function uninstallHubAddOns(
  context: CliContext,
  options: UninstallHubAddOnOptions & GlobalOptions,
): Promise<void> {
  const { namespace, dryRun = false, output } = options;
  const bundles = await readBundles(context, options);
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  await requireUnused(
    context,
    hub.client,
    bundles.flatMap(({ addOns }) => addOns),
  );
  const kinds = await hub.client.mapper.all();
  const objects = bundles.flatMap((bundle) => withNamespaces(bundle.objects, kinds, namespace)).reverse();
  const removable = objects.filter(({ kind }) => !kept.includes(kind));
  const isOffer = ({ kind }: Manifest): boolean => kind === 'ClusterManagementAddOn';
  const removed: string[] = [];
  using progress = startProgress(context);
  const removal = removalOf(context, hub.client, options, {
    progress,
    removed(what) {
      removed.push(what);
      if (output === 'text') context.out.write(`Removed ${what}${dryRun ? ' (dry run)' : ''}\n`);
    },
    left: (what) => context.err.write(`Left ${what}\n`),
  });
  // What is offered first, so that no cluster gets it meanwhile.
  await removeObjects(removal, [removable.filter(isOffer), removable.filter((object) => !isOffer(object))]);
  if (removed.length === 0)
    context.err.write('There is nothing of it on this hub that install hub-addon has applied.\n');
  if (isMachineFormat(output)) context.out.write(formatValue({ removed }, output));
}

/** Refuses add-ons that clusters still have, with the command that takes them from there. */
async function requireUnused(context: CliContext, client: KubeClient, addOns: readonly string[]): Promise<void> {
  for (const name of addOns) {
    const { items } = await client.resource(managedClusterAddOns).list({ fieldSelector: `metadata.name=${name}` });
    if (items.length === 0) continue;
    const clusters = items.map(({ metadata }) => metadata?.namespace).sort();
    throw new CliError(
      'precondition',
      `add-on ${name} is still on ${clusters.join(', ')}`,
      `Take it from there first: \`${context.program} addon disable --names ${name} --clusters ${clusters.join(',')} --wait\`.`,
    );
  }
}
