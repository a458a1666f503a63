import type { UnjoinOptions } from '../actions/unjoin.ts';
import { type AddCommand, allOptions, dryRunOption, outputOption, refuseForNow, timeoutOption } from './command.ts';

export const addUnjoin: AddCommand = (program, context) => {
  const command = program
    .command('unjoin')
    .summary('Remove this cluster from its hub')
    .description(
      'Remove this cluster from its hub: remove the agent and all objects that join created, and list it. With --hub-kubeconfig or --hub-context the cluster is removed on the hub first, so that works and add-ons are cleaned up while its agent still runs.',
    )
    .requiredOption('--cluster-name <name>', 'name of this cluster on the hub')
    .option('--hub-kubeconfig <file>', 'kubeconfig of the hub, to remove the cluster there first')
    .option('--hub-context <name>', 'context of the hub, to remove the cluster there first')
    .option(
      '--force',
      'do not wait for a hub or an agent that is dead; objects of works that are still applied stay on this cluster and are listed',
    )
    .addOption(timeoutOption('until the objects are gone'))
    .addOption(dryRunOption())
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla unjoin --cluster-name cluster1 --context kind-cluster1 --hub-context kind-hub
  $ flotilla unjoin --cluster-name cluster1 --force   # the hub is gone for good
`,
    )
    .action(async (_options, self) => {
      const { unjoin } = await import('../actions/unjoin.ts');
      await unjoin(context, allOptions<UnjoinOptions>(self));
    });
  refuseForNow(command, { '--purge-operator': 'the operator' });
};
