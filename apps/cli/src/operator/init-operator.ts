import { writeFile } from 'node:fs/promises';
import { clusterManagers, NamespaceName } from '@flotilla/api-types';
import {
  applyObjects,
  type ClusterManagerValues,
  clusterInfo,
  clusterInfoAccess,
  definitionsToApply,
  namespace,
  withOwner,
} from '@flotilla/install';
import {
  type ClusterManagerChartValues,
  clusterManagerDefinitions,
  clusterManagerObjects,
  type GivenValues,
} from '@flotilla/install/chart';
import type { KubeClient } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import { withoutNamespaces } from '../cluster/namespaces.ts';
import { cliOwner } from '../cluster/owner.ts';
import { ifServed } from '../cluster/served.ts';
import type { CliContext, Connection, GlobalOptions } from '../context.ts';
import { currentBootstrapToken } from '../hub/bootstrap-token.ts';
import { publishedAddress } from '../hub/cluster-info.ts';
import { formatManifests, formatPlanned } from '../output/format.ts';
import type { Progress } from '../output/progress.ts';
import { withoutSecrets } from '../output/redact.ts';
import { changesOf, formatChanges } from './changes.ts';
import { hubName, hubValues } from './hub-values.ts';
import type { InitOptions } from './init-options.ts';
import { hubReady, waitForInstalled, waitForOperator } from './readiness.ts';
import { release } from './release.ts';

/** Where the hub is installed, and what about it was decided already. */
interface HubInstallation {
  readonly hub: Connection;
  readonly recorded: ClusterManagerValues;
  readonly progress: Progress;
}

/** Installs the operator of hubs and a ClusterManager. False in a dry run, which prints them. */
export async function initByOperator(
  context: CliContext,
  options: InitOptions & GlobalOptions,
  { hub, recorded, progress }: HubInstallation,
): Promise<boolean> {
  const given = await hubValues(options, recorded);
  const values = given.createBootstrapToken ? await withToken(context, hub.client, given) : given;
  const manifests = await hubManifestsOf(hub, values, options.createNamespace);
  const planned = manifests.map((manifest) => withoutSecrets(withOwner(cliOwner, manifest)));
  if (options.outputFile) await writeFile(options.outputFile, formatManifests(planned), { mode: 0o600 });
  if (options.dryRun) {
    context.out.write(formatPlanned(planned, options.output));
    return false;
  }
  await reportChanges(hub.client, manifests, progress);
  progress.busy('Installing the operator');
  await applyObjects(hub.client, manifests, { owner: cliOwner, clock: context.clock });
  progress.done(`Installed the operator and ClusterManager ${hubName}: ${manifests.length} objects.`);
  if (options.wait) {
    const { timeout } = options;
    await waitForOperator(context, hub.client, 'cluster-manager', { timeout, progress });
    const what = { what: 'the hub', object: `clustermanager ${hubName}`, timeout, progress };
    await waitForInstalled(context, () => hubReady(hub.client, hubName), what);
  }
  return true;
}

/** The token that there is, so that repeating `init` does not end the joins of others; else a new one. */
async function withToken(
  { clock }: CliContext,
  client: KubeClient,
  values: GivenValues<ClusterManagerChartValues>,
): Promise<GivenValues<ClusterManagerChartValues>> {
  const { secret, expires } = await currentBootstrapToken(client, clock);
  return { ...values, bootstrapToken: { secret, expiration: expires } };
}

/** What is installed: the chart, its namespace, and what lets clusters find and verify the hub. */
async function hubManifestsOf(
  { client, access }: Connection,
  values: GivenValues<ClusterManagerChartValues>,
  createNamespace: boolean,
): Promise<KubeObject[]> {
  const definitions = await definitionsToApply(client, await clusterManagerDefinitions(), cliOwner);
  const published = await publishedAddress(client, access);
  const objects = [
    namespace(NamespaceName.Operator),
    ...clusterInfoAccess(),
    ...(published ? [clusterInfo(published)] : []),
    ...clusterManagerObjects(values, release),
  ];
  return [...definitions, ...(createNamespace ? objects : await withoutNamespaces(client, objects))];
}

/** Repeating `init` changes what an earlier one chose: the user should see what. */
async function reportChanges(client: KubeClient, manifests: readonly KubeObject[], progress: Progress): Promise<void> {
  const wanted = manifests.find(({ kind }) => kind === 'ClusterManager');
  const found = await ifServed(() => client.resource(clusterManagers).find(hubName), undefined);
  if (!wanted || !found) return;
  const changes = changesOf(found, wanted);
  if (changes.length > 0) progress.done(`ClusterManager ${hubName} is changed:\n${formatChanges(changes)}`);
}
