import { featureGatesOf } from '@flotilla/api-types';
import {
  definitionsToApply,
  hubManifests,
  policiesInForce,
  removeObjects,
  replacedGuards,
  servesPolicies,
} from '@flotilla/install';
import type { KubeClient } from '@flotilla/kube';
import { clusterFlags } from '../cluster/cluster-flags.ts';
import { withoutNamespaces } from '../cluster/namespaces.ts';
import { cliOwner } from '../cluster/owner.ts';
import { prepareWrites } from '../cluster/prepare-writes.ts';
import { removalOf } from '../cluster/removal.ts';
import { perform } from '../cluster/writes.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import type { ProgramSettings } from '../drivers/registration-driver.ts';
import { hubSettings, registrationDriver } from '../drivers/registration-drivers.ts';
import { CliError } from '../errors/cli-error.ts';
import { publishedAddress } from '../hub/cluster-info.ts';
import { hostAndPort } from '../hub/grpc-server.ts';
import { publishesAgain } from '../hub/publishes-again.ts';
import { hubStartCommands } from '../hub/start-commands.ts';
import { type checkFeatureGates, formatFeatureGates } from '../options/feature-gates.ts';
import type { Progress } from '../output/progress.ts';
import { type HubInstallation, hubEdit } from './hub-installation.ts';
import { type InitOptions, noWebhooks } from './init-options.ts';
import { presentHub, withoutWebhooks } from './present-hub.ts';
import { webhookUrlOfHub } from './recorded-hub.ts';

/** Installs what the programs of a hub need, which the user starts. */
export async function initByHand(
  context: CliContext,
  options: InitOptions & GlobalOptions,
  { hub, recorded, progress, found, useBootstrapToken, changes }: HubInstallation,
): Promise<void> {
  const { registrationDrivers, featureGates = {}, grpcServer } = recorded;
  refuseParts(context, changes.featureGates);
  const settings = withGrpcHosts(hubSettings(registrationDrivers), grpcServer?.host);
  const webhookUrl = await webhookUrlOf(hub.client, options);
  const start = hubStartCommands({
    hubProgram: context.hubProgram,
    clusterFlags: clusterFlags(context, options),
    featureGates,
    flags: settings.flags,
    ...(webhookUrl && { webhookUrl }),
    ...(grpcServer?.host && { grpcServer: grpcServer.host }),
  });
  const webhooks = webhookUrl ? { url: webhookUrl } : undefined;
  if (!webhooks) await requirePolicies(hub.client);
  const publishes = !found || (await publishesAgain(hub));
  const clusterInfo = publishes ? await publishedAddress(hub.client, hub.access) : undefined;
  const { definitions, objects } = await hubManifests({
    drivers: registrationDrivers.map(({ authType }) => registrationDriver(authType).driver),
    ...(!found && { clusterManager: recorded }),
    grpc: grpcServer !== undefined,
    programs: { ...settings, flags: { ...gatesFlag(featureGates), ...settings.flags } },
    ...(webhooks && { webhooks }),
    ...(clusterInfo && { clusterInfo }),
  });
  const applied = [
    ...(await definitionsToApply(hub.client, definitions, cliOwner)),
    ...(options.createNamespace ? objects : await withoutNamespaces(hub.client, objects)),
  ];
  const writes = { applied, ...(found && { edit: hubEdit(hub.client, changes) }) };
  const isRepeated = found !== undefined;
  if (!(await prepareWrites(context, options, writes, { client: hub.client, progress, isRepeated }))) return;
  progress.busy('Installing the hub');
  await perform(hub.client, writes, { owner: cliOwner, clock: context.clock });
  if (!webhooks) {
    await policiesInForce(hub.client, { ...context, onPending: (message: string) => progress.update(message) });
  }
  await removeReplacedGuards(context, options, { client: hub.client, webhooks, progress });
  progress.done(`Installed ${applied.length} objects.`);
  await presentHub(
    context,
    { ...options, useBootstrapToken },
    {
      hub,
      start,
      progress,
      guarded: webhooks ? '' : withoutWebhooks(context.program),
    },
  );
}

/** Without a word: the guards of this kind replace them. */
function removeReplacedGuards(
  context: CliContext,
  { timeout }: InitOptions,
  {
    client,
    webhooks,
    progress,
  }: { client: KubeClient; webhooks: Parameters<typeof replacedGuards>[0]; progress: Progress },
): Promise<unknown> {
  const silent = { progress, removed: () => {}, left: () => {} };
  return removeObjects(removalOf(context, client, { timeout }, silent), [replacedGuards(webhooks)]);
}

/** Refuses a server that could not guard the hub by policies. */
async function requirePolicies(client: KubeClient): Promise<void> {
  if (await servesPolicies(client)) return;
  throw new CliError(
    'precondition',
    'this API server does not serve ValidatingAdmissionPolicy (admissionregistration.k8s.io/v1), and without it nothing would stop the holder of a join token from accepting a cluster',
    'Update the cluster to Kubernetes 1.30 or later, or run the webhook server and give its address: --webhook-url https://HOST:PORT.',
  );
}

type FeatureGates = ReturnType<typeof checkFeatureGates>;

/** Without pods nobody starts them but the user. */
function refuseParts({ hubProgram }: CliContext, gates: FeatureGates): void {
  const commands = { ClusterProxy: 'cluster-proxy --external-name HOST', PushAgents: 'push-agents' } as const;
  for (const gate of featureGatesOf('hub-server')) {
    if (!gates[gate] || !(gate in commands)) continue;
    throw new CliError(
      'usage',
      `--feature-gates ${gate}=true is for a hub that the operator runs, and this cluster has no nodes for it`,
      `Leave it out, and start \`${hubProgram} ${commands[gate as keyof typeof commands]}\` beside the hub.`,
    );
  }
}

/** For Deployments, which read their flags from a ConfigMap. */
const gatesFlag = (gates: FeatureGates): Record<string, string> =>
  Object.keys(gates).length > 0 ? { 'feature-gates': formatFeatureGates(gates) } : {};

/** The controllers make the certificate of the gRPC server, and need to know its name. */
const withGrpcHosts = (settings: ProgramSettings, server: string | undefined): ProgramSettings =>
  server ? { ...settings, flags: { ...settings.flags, 'grpc-server-hosts': hostAndPort(server).host } } : settings;

/** Where webhooks are answered: as the flag says, else as before. */
const webhookUrlOf = async (client: KubeClient, { webhookUrl }: InitOptions): Promise<string | undefined> =>
  webhookUrl === noWebhooks ? undefined : (webhookUrl ?? (await webhookUrlOfHub(client)));
