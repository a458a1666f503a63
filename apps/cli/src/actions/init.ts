import { writeFile } from 'node:fs/promises';
import type { KubeClient } from '@flotilla/kube';
import { applyObjects, missingDefinitions } from '../apply.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors.ts';
import { checkFeatureGates } from '../feature-gates.ts';
import { hubManifests } from '../hub/hub-manifests.ts';
import { findLeader } from '../hub/leader.ts';
import { hubStartCommands } from '../hub/start-commands.ts';
import { addressWarning, type Invitation, invitationValue, invite, joinCommand } from '../hub/token.ts';
import { withoutNamespaces } from '../namespaces.ts';
import { formatManifests, formatValue, isMachineFormat } from '../output/format.ts';
import { type Progress, startProgress } from '../output/progress.ts';
import { waitFor } from '../waiting.ts';

/** The flags of `init`. */
export interface InitOptions {
  readonly useBootstrapToken?: boolean;
  readonly webhookUrl?: string;
  readonly featureGates?: Readonly<Record<string, string>>;
  readonly registrationDrivers?: readonly string[];
  readonly autoApprovedCsrIdentities?: readonly string[];
  readonly createNamespace: boolean;
  readonly wait?: boolean;
  readonly output: string;
  readonly outputFile?: string;
  readonly outputJoinCommandFile?: string;
}

/** Makes a cluster a hub. */
export async function init(context: CliContext, options: InitOptions & GlobalOptions): Promise<void> {
  const start = hubStartOf(context, options);
  await using hub = await context.connector.toCluster(options);
  using progress = startProgress(context);
  const { definitions, objects } = await hubManifests(
    hub,
    options.webhookUrl ? { url: options.webhookUrl } : undefined,
  );
  const ours = [...(await missingDefinitions(hub.client, definitions)), ...objects];
  const manifests = options.createNamespace ? ours : await withoutNamespaces(hub.client, ours);
  if (options.outputFile) await writeFile(options.outputFile, formatManifests(manifests), { mode: 0o600 });
  if (options.dryRun) {
    context.out.write(formatManifests(manifests));
    return;
  }
  progress.update('Installing the hub');
  await applyObjects(hub.client, manifests, context.clock);
  progress.done(`Installed ${manifests.length} objects.`);
  const invitation = await invite(context, hub, options);
  const command = joinCommand(context.program, invitation, options.wait);
  if (options.outputJoinCommandFile) {
    await writeFile(options.outputJoinCommandFile, `${command.replace('<cluster_name>', '$1')}\n`, { mode: 0o600 });
  }
  const warning = addressWarning(invitation.server);
  if (warning) progress.done(warning);
  if (options.wait) {
    progress.done(`Start the hub in another terminal:\n\n${indented(start)}\n`);
    await hubRuns(context, hub.client, options.timeout, progress);
  }
  context.out.write(
    isMachineFormat(options.output)
      ? formatValue(invitationValue(invitation), options.output)
      : welcome(context.program, { start, command, invitation }),
  );
}

const indented = (lines: readonly string[]): string => lines.map((line) => `    ${line}`).join('\n');

const welcome = (
  program: string,
  { start, command, invitation }: { start: readonly string[]; command: string; invitation: Invitation },
): string => `The multicluster hub control plane has been initialized successfully!

Start the hub, if it does not run yet:

${indented(start)}

You can now register cluster(s) to the hub control plane. Log onto those cluster(s) and run the following command
(until ${invitation.expires}; \`${program} get token\` prints a new one):

    ${command}

Replace <cluster_name> with a cluster name of your choice. For example, cluster1.
`;

/** How to start the hub with what the flags ask for; refuses what contradicts itself. */
function hubStartOf({ hubProgram }: CliContext, options: InitOptions & GlobalOptions): string[] {
  const { webhookUrl, kubeconfig, context } = options;
  const unknown = options.registrationDrivers?.find((driver) => driver !== 'csr');
  if (unknown !== undefined) {
    throw new CliError('usage', `--registration-drivers ${unknown} is not there yet`, 'Leave it out, or give csr.');
  }
  if (webhookUrl !== undefined && URL.parse(webhookUrl)?.protocol !== 'https:') {
    throw new CliError(
      'usage',
      `--webhook-url ${webhookUrl} is no address of webhooks`,
      'It should start with https://.',
    );
  }
  const featureGates = checkFeatureGates('hub-registration', options.featureGates);
  const autoApprovedCsrUsers = options.autoApprovedCsrIdentities ?? [];
  if (autoApprovedCsrUsers.length > 0 && !featureGates.ManagedClusterAutoApproval) {
    throw new CliError(
      'usage',
      'should enable feature gate ManagedClusterAutoApproval before passing list of identities',
      'Add --feature-gates ManagedClusterAutoApproval=true.',
    );
  }
  return hubStartCommands({
    hubProgram,
    featureGates,
    autoApprovedCsrUsers,
    ...(kubeconfig && { kubeconfig }),
    ...(context && { context }),
    ...(webhookUrl && { webhookUrl }),
  });
}

/** Waits for somebody who leads the controllers. */
async function hubRuns(context: CliContext, client: KubeClient, timeout: number, progress: Progress): Promise<void> {
  const goal = 'the controllers of the hub';
  const hint = 'Start them as printed above.';
  await waitFor(context, { goal, hint, timeoutMs: timeout * 1000, progress }, () => findLeader(client, context.clock));
}
