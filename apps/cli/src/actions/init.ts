import { writeFile } from 'node:fs/promises';
import { clusterManagers, featureGatesOf, ObjectName } from '@flotilla/api-types';
import {
  applyObjects,
  definitionsToApply,
  hubManifests,
  policiesInForce,
  removeObjects,
  replacedGuards,
  servesPolicies,
  withOwner,
} from '@flotilla/install';
import type { KubeClient } from '@flotilla/kube';
import { clusterFlags } from '../cluster/cluster-flags.ts';
import { withoutNamespaces } from '../cluster/namespaces.ts';
import { cliOwner } from '../cluster/owner.ts';
import { removalOf } from '../cluster/removal.ts';
import { waitFor } from '../cluster/wait.ts';
import type { CliContext, Connection, GlobalOptions } from '../context.ts';
import type { ProgramSettings } from '../drivers/registration-driver.ts';
import {
  autoApprovedIdentities,
  hubEntries,
  hubSettings,
  registrationDriver,
} from '../drivers/registration-drivers.ts';
import { CliError } from '../errors/cli-error.ts';
import { publishedAddress } from '../hub/cluster-info.ts';
import { grpcAdvice } from '../hub/grpc-join-info.ts';
import { grpcServerOf, hostAndPort } from '../hub/grpc-server.ts';
import { addressWarning, createJoinInfo, type JoinInfo, joinCommand, joinInfoValue } from '../hub/join-info.ts';
import { signAgain } from '../hub/join-tokens.ts';
import { findLeader } from '../hub/leader.ts';
import { hubStartCommands } from '../hub/start-commands.ts';
import type { InitOptions } from '../operator/init-options.ts';
import { usesOperator } from '../operator/runs-pods.ts';
import { checkFeatureGates, formatFeatureGates } from '../options/feature-gates.ts';
import { formatManifests, formatPlanned } from '../output/format.ts';
import { type Progress, startProgress } from '../output/progress.ts';
import { formatResult, nameOfKind } from '../output/result.ts';

const gatedParts = ['hub-registration', 'hub-work', 'hub-addon', 'hub-server'] as const;

/** Makes a cluster a hub. */
export async function init(context: CliContext, options: InitOptions & GlobalOptions): Promise<void> {
  checkWebhookUrl(options.webhookUrl);
  const featureGates = checkFeatureGates(gatedParts, options.featureGates);
  await using hub = await context.connector.toCluster(options);
  const registrationDrivers = await driversOf(options, featureGates, hub);
  const byOperator = await installsOperator(hub.client, options);
  const grpcServer = grpcServerOf(registrationDrivers, options, byOperator);
  if (byOperator) {
    const { initByOperator } = await import('../operator/init-operator.ts');
    const recorded = { registrationDrivers, featureGates, ...(grpcServer && { grpcServer }) };
    using progress = startProgress(context);
    const isInstalled = await initByOperator(context, options, { hub, recorded, progress });
    if (isInstalled) await presentHub(context, options, { hub, progress, start: [], guarded: '' });
    return;
  }
  refuseParts(context, featureGates);
  const settings = withGrpcHosts(hubSettings(registrationDrivers), grpcServer?.host);
  const start = hubStartCommands({
    hubProgram: context.hubProgram,
    clusterFlags: clusterFlags(context, options),
    featureGates,
    flags: settings.flags,
    ...(options.webhookUrl && { webhookUrl: options.webhookUrl }),
    ...(grpcServer?.host && { grpcServer: grpcServer.host }),
  });
  using progress = startProgress(context);
  const webhooks = options.webhookUrl ? { url: options.webhookUrl } : undefined;
  if (!webhooks) await requirePolicies(hub.client);
  const clusterInfo = await publishedAddress(hub.client, hub.access);
  const { definitions, objects } = await hubManifests({
    drivers: registrationDrivers.map(({ authType }) => registrationDriver(authType).driver),
    clusterManager: { registrationDrivers, featureGates, ...(grpcServer && { grpcServer }) },
    grpc: grpcServer !== undefined,
    programs: { ...settings, flags: { ...gatesFlag(featureGates), ...settings.flags } },
    ...(webhooks && { webhooks }),
    ...(clusterInfo && { clusterInfo }),
  });
  const manifests = [
    ...(await definitionsToApply(hub.client, definitions, cliOwner)),
    ...(options.createNamespace ? objects : await withoutNamespaces(hub.client, objects)),
  ];
  const planned = manifests.map((manifest) => withOwner(cliOwner, manifest));
  if (options.outputFile) await writeFile(options.outputFile, formatManifests(planned), { mode: 0o600 });
  if (options.dryRun) return void context.out.write(formatPlanned(planned, options.output));
  progress.busy('Installing the hub');
  await applyObjects(hub.client, manifests, { owner: cliOwner, clock: context.clock });
  if (!webhooks) {
    await policiesInForce(hub.client, { ...context, onPending: (message: string) => progress.update(message) });
  }
  await removeReplacedGuards(context, options, { client: hub.client, webhooks, progress });
  progress.done(`Installed ${manifests.length} objects.`);
  await presentHub(context, options, {
    hub,
    start,
    progress,
    guarded: webhooks ? '' : withoutWebhooks(context.program),
  });
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

/** A hub whose webhooks are elsewhere runs elsewhere too. */
async function installsOperator(client: KubeClient, options: InitOptions): Promise<boolean> {
  if (options.webhookUrl === undefined) return usesOperator(client, options);
  if (!options.operator) return usesOperator(client, { ...options, operator: false });
  throw new CliError('usage', '--webhook-url and --operator exclude each other', 'The operator runs the webhooks too.');
}

/** The hub that `init` made. */
interface InstalledHub extends Pick<Welcome, 'start' | 'guarded'> {
  readonly hub: Connection;
  readonly progress: Progress;
}

/** Prints how to start the hub and how clusters join it. */
async function presentHub(
  context: CliContext,
  options: InitOptions & GlobalOptions,
  { hub, start, guarded, progress }: InstalledHub,
): Promise<void> {
  // Tokens of an earlier installation sign what is published now.
  await signAgain(hub.client, context.clock);
  const joinInfo = await createJoinInfo(context, hub, options);
  const command = joinCommand(context.program, joinInfo, { wait: options.wait === true });
  if (options.outputJoinCommandFile) {
    await writeFile(options.outputJoinCommandFile, `${command.replace('<cluster_name>', '$1')}\n`, { mode: 0o600 });
  }
  const warning = addressWarning(joinInfo.server);
  if (warning) progress.done(warning);
  if (options.wait && start.length > 0) {
    progress.done(`Start the hub in another terminal:\n\n${indented(start)}\n`);
    await hubRuns(context, hub.client, options.timeout, progress);
  }
  context.out.write(
    formatResult(options.output, {
      text: welcome(context.program, { start, command, joinInfo, guarded }),
      value: joinInfoValue(joinInfo),
      names: [nameOfKind(clusterManagers, ObjectName.ClusterManager)],
    }),
  );
}

const indented = (lines: readonly string[]): string => lines.map((line) => `    ${line}`).join('\n');

/** What `init` prints at its end. */
interface Welcome {
  readonly start: readonly string[];
  readonly command: string;
  readonly joinInfo: JoinInfo;
  /** What is different without a webhook server; empty with one. */
  readonly guarded: string;
}

const withoutWebhooks = (program: string): string => `
The API server itself guards who may accept clusters, move them between cluster sets, remove them by force and name
executors, by ValidatingAdmissionPolicies. What needs a webhook server is not done: clusters without a cluster set are not put
into "default", taints get no time stamp, the manifests of a ManifestWork are not checked before its agent reads them, and
add-ons are served in v1beta1 only. For that, run one and repeat this with its address:

    ${program} init --webhook-url https://HOST:9443
`;

const welcome = (
  program: string,
  { start, command, joinInfo, guarded }: Welcome,
): string => `The multicluster hub control plane has been initialized successfully!

${start.length > 0 ? `Start the hub, if it does not run yet:\n\n${indented(start)}\n${guarded}\n` : ''}You can now register cluster(s) to the hub control plane. Log onto those cluster(s) and run the following command
(until ${joinInfo.expires}; \`${program} get token\` prints a new one):

    ${command}
${grpcAdvice(program, joinInfo)}
Replace <cluster_name> with a cluster name of your choice. For example, cluster1.
`;

/** Refuses a server that could not guard the hub by policies. */
async function requirePolicies(client: KubeClient): Promise<void> {
  if (await servesPolicies(client)) return;
  throw new CliError(
    'precondition',
    'this API server does not serve ValidatingAdmissionPolicy (admissionregistration.k8s.io/v1), and without it nothing would stop the holder of a join token from accepting a cluster',
    'Update the cluster to Kubernetes 1.30 or later, or run the webhook server and give its address: --webhook-url https://HOST:PORT.',
  );
}

function checkWebhookUrl(webhookUrl: string | undefined): void {
  if (webhookUrl === undefined || URL.parse(webhookUrl)?.protocol === 'https:') return;
  const hint = 'It should start with https://.';
  throw new CliError('usage', `--webhook-url ${webhookUrl} is not an address of webhooks`, hint);
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

/** How clusters may register; refuses lists of identities that would have no effect. */
async function driversOf(options: InitOptions, featureGates: FeatureGates, { access }: Connection) {
  const entries = await hubEntries(options.registrationDrivers, options, access);
  if (autoApprovedIdentities(entries).length > 0 && !featureGates.ManagedClusterAutoApproval) {
    throw new CliError(
      'usage',
      'should enable feature gate ManagedClusterAutoApproval before passing list of identities',
      'Add --feature-gates ManagedClusterAutoApproval=true.',
    );
  }
  return entries;
}

/** Waits until a process leads the controllers. */
async function hubRuns(context: CliContext, client: KubeClient, timeout: number, progress: Progress): Promise<void> {
  const goal = 'the controllers of the hub';
  const hint = 'Start them as printed above.';
  await waitFor(context, { goal, hint, timeoutMs: timeout * 1000, progress }, () => findLeader(client, context.clock));
}
