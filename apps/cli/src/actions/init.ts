import type { ClusterManager, FeatureGateName } from '@flotilla/api-types';
import type { ClusterManagerValues } from '@flotilla/install';
import type { KubeClient } from '@flotilla/kube';
import type { CliContext, Connection, GlobalOptions } from '../context.ts';
import { asksForDrivers, autoApprovedIdentities, hubEntries } from '../drivers/registration-drivers.ts';
import { CliError } from '../errors/cli-error.ts';
import { grpcServerOf } from '../hub/grpc-server.ts';
import type { HubChanges } from '../init/changed-hub.ts';
import { initByHand } from '../init/init-by-hand.ts';
import { type InitOptions, noWebhooks } from '../init/init-options.ts';
import { presentHub } from '../init/present-hub.ts';
import {
  findHub,
  gatesOfHub,
  grpcServerOfHub,
  hubComponents,
  isByHand,
  usesBootstrapToken,
} from '../init/recorded-hub.ts';
import { usesOperator } from '../operator/runs-pods.ts';
import { checkFeatureGates } from '../options/feature-gates.ts';
import { startProgress } from '../output/progress.ts';

type FeatureGates = Readonly<Partial<Record<FeatureGateName, boolean>>>;

/** Makes a cluster a hub. What an earlier `init` chose stays, unless a flag says otherwise. */
export async function init(context: CliContext, options: InitOptions & GlobalOptions): Promise<void> {
  checkWebhookUrl(options.webhookUrl);
  const given = checkFeatureGates(hubComponents, options.featureGates);
  await using hub = await context.connector.toCluster(options);
  const found = await findHub(hub.client);
  const featureGates = { ...gatesOfHub(found), ...given };
  const registrationDrivers = await driversOf(options, featureGates, hub, found);
  const runsPods = await installsOperator(hub.client, options, found);
  const grpcServer = grpcServerOf(registrationDrivers, options, { runsPods, earlier: grpcServerOfHub(found) });
  const recorded = { registrationDrivers, featureGates, ...(grpcServer && { grpcServer }) };
  using progress = startProgress(context);
  const changes = changesOf(options, recorded, { found, featureGates: given });
  const useBootstrapToken =
    options.useBootstrapToken ?? (found !== undefined && (await usesBootstrapToken(hub.client)));
  const installation = { hub, recorded, progress, found, useBootstrapToken, changes };
  if (!runsPods) return await initByHand(context, options, installation);
  const { initByOperator } = await import('../init/init-operator.ts');
  if (!(await initByOperator(context, options, installation))) return;
  await presentHub(context, { ...options, useBootstrapToken }, { hub, progress, start: [], guarded: '' });
}

/** What the flags change in a hub that is there. */
function changesOf(
  options: InitOptions,
  { registrationDrivers, grpcServer }: ClusterManagerValues,
  { found, featureGates }: { readonly found: ClusterManager | undefined; readonly featureGates: FeatureGates },
): HubChanges {
  if (!asksForDrivers('init', options.registrationDrivers, options)) return { featureGates };
  const isMoved = options.grpcServer !== undefined || options.grpcEndpointType !== undefined;
  const exposes = isMoved || !grpcServerOfHub(found);
  return { featureGates, registrationDrivers, ...(grpcServer && exposes && { grpcServer }) };
}

/** Whether pods run the hub: as the flag says, else as an earlier `init` chose. A hub whose webhooks are elsewhere runs elsewhere too. */
async function installsOperator(
  client: KubeClient,
  options: InitOptions,
  found: ClusterManager | undefined,
): Promise<boolean> {
  if (options.webhookUrl !== undefined && options.operator) {
    const hint = 'The operator runs the webhooks too.';
    throw new CliError('usage', '--webhook-url and --operator exclude each other', hint);
  }
  if (options.webhookUrl !== undefined) return usesOperator(client, { ...options, operator: false });
  if (options.operator !== undefined || !found) return usesOperator(client, options);
  return usesOperator(client, (await isByHand(client)) ? { ...options, operator: false } : options);
}

function checkWebhookUrl(webhookUrl: string | undefined): void {
  if (webhookUrl === undefined || webhookUrl === noWebhooks || URL.parse(webhookUrl)?.protocol === 'https:') return;
  const hint = `It should start with https://, or be ${noWebhooks}.`;
  throw new CliError('usage', `--webhook-url ${webhookUrl} is not an address of webhooks`, hint);
}

/** How clusters may register; refuses lists of identities that would have no effect. */
async function driversOf(
  options: InitOptions,
  featureGates: FeatureGates,
  { access }: Connection,
  found: ClusterManager | undefined,
) {
  const earlier = found?.spec?.registrationConfiguration?.registrationDrivers ?? [];
  const entries = await hubEntries(options.registrationDrivers, options, access, earlier);
  const isAsked = asksForDrivers('init', options.registrationDrivers, options);
  if (isAsked && autoApprovedIdentities(entries).length > 0 && !featureGates.ManagedClusterAutoApproval) {
    throw new CliError(
      'usage',
      'should enable feature gate ManagedClusterAutoApproval before passing list of identities',
      'Add --feature-gates ManagedClusterAutoApproval=true.',
    );
  }
  return entries;
}
