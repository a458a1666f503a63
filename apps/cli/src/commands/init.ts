import { writeFile } from 'node:fs/promises';
import { applyObjects } from '../apply.ts';
import { connect } from '../connect.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { bootstrapObjects } from '../hub/bootstrap-objects.ts';
import { wantedClusterInfo } from '../hub/cluster-info.ts';
import { hubDefinitions } from '../hub/definitions.ts';
import { addressWarning, invitationValue, invite, joinCommand } from '../hub/token.ts';
import { formatManifests, formatValue, isMachineFormat } from '../output/format.ts';
import { startProgress } from '../output/progress.ts';
import { type AddCommand, allOptions, outputOption } from './command.ts';

interface InitOptions {
  readonly output: string;
  readonly outputFile?: string;
  readonly outputJoinCommandFile?: string;
}

export const addInit: AddCommand = (program, context) => {
  program
    .command('init')
    .summary('make this cluster a hub')
    .description(
      'Makes this cluster a hub: definitions of kinds, namespaces, and a service account with which clusters can ask to join and nothing else. Repeating it is safe.',
    )
    .addOption(outputOption('text', 'json', 'yaml'))
    .option('--output-file <file>', 'also write the manifests here')
    .option(
      '--output-join-command-file <file>',
      'also write the command that joins a cluster ($1) here, readable by its owner',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla init --context kind-hub
  $ flotilla init --dry-run > hub.yaml                # what it would apply
`,
    )
    .action((_options, command) => init(context, allOptions<InitOptions>(command)));
};

async function init(context: CliContext, options: InitOptions & GlobalOptions): Promise<void> {
  await using hub = await connect(context, options);
  using progress = startProgress(context);
  const manifests = [
    ...(await hubDefinitions()),
    ...bootstrapObjects(),
    ...(await wantedClusterInfo(hub.client, hub.access)),
  ];
  if (options.outputFile) await writeFile(options.outputFile, formatManifests(manifests), { mode: 0o600 });
  if (options.dryRun) {
    context.out.write(formatManifests(manifests));
    return;
  }
  progress.update('Installing the hub');
  await applyObjects(hub.client, manifests, context.clock);
  progress.done(`Installed ${manifests.length} objects.`);
  const invitation = await invite(hub.client, hub.access, context.clock);
  const command = joinCommand(context.program, invitation);
  if (options.outputJoinCommandFile) {
    await writeFile(options.outputJoinCommandFile, `${command.replace('<cluster_name>', '$1')}\n`, { mode: 0o600 });
  }
  const warning = addressWarning(invitation.server);
  if (warning) progress.done(warning);
  if (isMachineFormat(options.output)) {
    context.out.write(formatValue(invitationValue(invitation), options.output));
    return;
  }
  context.out.write(`The multicluster hub control plane has been initialized successfully!

Start its controllers with this kubeconfig, here or in the cluster:

    flotilla-hub --kubeconfig <kubeconfig>

You can now register cluster(s) to the hub control plane. Log onto those cluster(s) and run the following command
(until ${invitation.expires}; \`${context.program} get token\` prints a new one):

    ${command}

Replace <cluster_name> with a cluster name of your choice. For example, cluster1.
`);
}
