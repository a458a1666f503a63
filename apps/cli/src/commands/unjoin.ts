import type { UnjoinOptions } from '../actions/unjoin.ts';
import { type AddCommand, allOptions, outputOption, refuseForNow } from './command.ts';

export const addUnjoin: AddCommand = (program, context) => {
  const command = program
    .command('unjoin')
    .summary('take this cluster out of its hub')
    .description(
      'Takes this cluster out of its hub: removes the agent and everything that join made, and says what it removed. With --hub-kubeconfig or --hub-context the cluster is first removed from the hub, so that works and add-ons are cleaned up while its agent still runs.',
    )
    .requiredOption('--cluster-name <name>', 'what this cluster is called on the hub')
    .option('--hub-kubeconfig <file>', 'kubeconfig of the hub, to remove the cluster there first')
    .option('--hub-context <name>', 'context of the hub, to remove the cluster there first')
    .option(
      '--force',
      'do not wait for a hub or an agent that is dead, nor for works that are still applied: what they made stays behind',
    )
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
