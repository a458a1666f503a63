import { writeFile } from 'node:fs/promises';
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
import type { ChangeOptions, CliContext, Connection, GlobalOptions, WaitOptions } from '../context.ts';
import type { InitDriverOptions, ProgramSettings } from '../drivers/registration-driver.ts';
import {
  autoApprovedIdentities,
  hubEntries,
  hubSettings,
  registrationDriver,
} from '../drivers/registration-drivers.ts';
import { CliError } from '../errors/cli-error.ts';
import { publishedAddress } from '../hub/cluster-info.ts';
import { type GrpcServer, grpcServerOf, hostAndPort } from '../hub/grpc-server.ts';
import {
  addressWarning,
  createJoinInfo,
  grpcAdvice,
  type JoinInfo,
  joinCommand,
  joinInfoValue,
} from '../hub/join-info.ts';
import { findLeader } from '../hub/leader.ts';
import { hubStartCommands } from '../hub/start-commands.ts';
import { checkFeatureGates, formatFeatureGates } from '../options/feature-gates.ts';
import { formatManifests, formatValue, isMachineFormat } from '../output/format.ts';
import { type Progress, startProgress } from '../output/progress.ts';

/** The flags of `init`. */
export interface InitOptions extends ChangeOptions, WaitOptions, InitDriverOptions {
  readonly useBootstrapToken?: boolean;
  readonly webhookUrl?: string;
  readonly featureGates?: Readonly<Record<string, string>>;
  readonly registrationDrivers?: readonly string[];
  readonly createNamespace: boolean;
  readonly wait?: boolean;
  readonly output: string;
  readonly outputFile?: string;
  readonly outputJoinCommandFile?: string;
}

/** Makes a cluster a hub. */
export async function init(context: CliContext, options: InitOptions & GlobalOptions): Promise<void> {
  checkWebhookUrl(options.webhookUrl);
  const featureGates = checkFeatureGates('hub-registration', options.featureGates);
  await using hub = await context.connector.toCluster(options);
  const registrationDrivers = await driversOf(options, featureGates, hub);
  const grpcServer = grpcServerOf(registrationDrivers, options);
  const settings = withGrpcHosts(hubSettings(registrationDrivers), grpcServer);
  const start = hubStartCommands({
    hubProgram: context.hubProgram,
    clusterFlags: clusterFlags(context, options),
    featureGates,
    flags: settings.flags,
    ...(options.webhookUrl && { webhookUrl: options.webhookUrl }),
    ...(grpcServer && { grpcServer: grpcServer.host }),
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
  const printed = formatManifests(manifests.map((manifest) => withOwner(cliOwner, manifest)));
  if (options.outputFile) await writeFile(options.outputFile, printed, { mode: 0o600 });
  if (options.dryRun) {
    context.out.write(printed);
    return;
  }
  progress.busy('Installing the hub');
  await applyObjects(hub.client, manifests, { owner: cliOwner, clock: context.clock });
  const onPending = (message: string) => progress.update(message);
  if (!webhooks) await policiesInForce(hub.client, { ...context, onPending });
  // Without a word: the guards of this kind replace them.
  const silent = { progress, removed: () => {}, left: () => {} };
  await removeObjects(removalOf(context, hub.client, { timeout: options.timeout }, silent), [replacedGuards(webhooks)]);
  progress.done(`Installed ${manifests.length} objects.`);
  await presentHub(context, options, {
    hub,
    start,
    progress,
    guarded: webhooks ? '' : withoutWebhooks(context.program),
  });
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
  const joinInfo = await createJoinInfo(context, hub, options);
  const command = joinCommand(context.program, joinInfo, options.wait);
  if (options.outputJoinCommandFile) {
    await writeFile(options.outputJoinCommandFile, `${command.replace('<cluster_name>', '$1')}\n`, { mode: 0o600 });
  }
  const warning = addressWarning(joinInfo.server);
  if (warning) progress.done(warning);
  if (options.wait) {
    progress.done(`Start the hub in another terminal:\n\n${indented(start)}\n`);
    await hubRuns(context, hub.client, options.timeout, progress);
  }
  context.out.write(
    isMachineFormat(options.output)
      ? formatValue(joinInfoValue(joinInfo), options.output)
      : welcome(context.program, { start, command, joinInfo, guarded }),
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

Start the hub, if it does not run yet:

${indented(start)}
${guarded}
You can now register cluster(s) to the hub control plane. Log onto those cluster(s) and run the following command
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

/** For Deployments, which read their flags from a ConfigMap. */
const gatesFlag = (gates: FeatureGates): Record<string, string> =>
  Object.keys(gates).length > 0 ? { 'feature-gates': formatFeatureGates(gates) } : {};

/** The controllers make the certificate of the gRPC server, and need to know its name. */
const withGrpcHosts = (settings: ProgramSettings, server: GrpcServer | undefined): ProgramSettings =>
  server ? { ...settings, flags: { ...settings.flags, 'grpc-server-hosts': hostAndPort(server.host).host } } : settings;

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
