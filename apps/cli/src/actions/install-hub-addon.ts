import { writeFile } from 'node:fs/promises';
import { applyObjects } from '@flotilla/install';
import { keyOf } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { type BundleOptions, type HubAddOnBundle, readBundles } from '../addon/hub-addon-bundles.ts';
import { cliOwner } from '../cluster/owner.ts';
import { requireNamespace } from '../clusterset/find-set.ts';
import type { ChangeOptions, CliContext, GlobalOptions } from '../context.ts';
import { requireHub } from '../hub/accept.ts';
import { startChangeReport } from '../output/change-report.ts';
import { formatManifests } from '../output/format.ts';
import type { Manifest } from '../work/manifests.ts';
import { withNamespaces } from '../work/new-work.ts';

/** The flags of `install hub-addon`. */
export interface InstallHubAddOnOptions extends BundleOptions, ChangeOptions {
  readonly namespace: string;
  readonly createNamespace?: boolean;
  readonly output: string;
  readonly outputFile?: string;
}

/** Makes the hub offer add-ons: those that this program brings, or those of files. */
export async function installHubAddOns(
  context: CliContext,
  options: InstallHubAddOnOptions & GlobalOptions,
): Promise<void> {
  const { namespace, createNamespace = false, dryRun = false, output } = options;
  const bundles = await readBundles(context, options);
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  const kinds = await hub.client.mapper.all();
  const objects = bundles.flatMap((bundle) => withNamespaces(inOrder(bundle), kinds, namespace));
  const place = { apiVersion: 'v1', kind: namespaces.kind, metadata: { name: namespace } };
  const isMissing = !(await hub.client.resource(namespaces).find(namespace));
  if (isMissing && !createNamespace) await requireNamespace(hub.client, namespace);
  const all = isMissing ? [place, ...objects] : objects;
  if (options.outputFile) await writeFile(options.outputFile, formatManifests(all), { mode: 0o600 });
  // A server cannot try objects of kinds or in namespaces that the same files are to bring.
  if (!dryRun) await applyObjects(hub.client, all, { owner: cliOwner, clock: context.clock });
  const report = startChangeReport(context, options);
  for (const object of all) report.add(object, `${object.kind} ${keyOf(object)} is applied`);
  report.end();
  if (output !== 'text') return;
  const [first] = bundles.flatMap(({ addOns }) => addOns);
  context.err.write(
    `Enable it on a cluster: ${context.program} addon enable --names ${first} --clusters <cluster_name>\n`,
  );
}

const rank = ({ kind }: Manifest): number => {
  if (kind === 'CustomResourceDefinition' || kind === 'Namespace') return 0;
  // What is offered last is complete when it is.
  return kind === 'ClusterManagementAddOn' ? 2 : 1;
};

const inOrder = ({ objects }: HubAddOnBundle): Manifest[] => objects.toSorted((a, b) => rank(a) - rank(b));
