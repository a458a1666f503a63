import type { UnjoinOptions } from '../actions/unjoin.ts';
import type { UnjoinPushOptions } from '../push/unjoin-push.ts';
import { type AddCommand, allOptions, booleanOption, dryRunOption, outputOption, timeoutOption } from './command.ts';
import { takeIdleFlags } from './flags-of-clusteradm.ts';
import { addUnjoinPushFlags, clusterNameOf, isPush } from './push-flags.ts';

export const addUnjoin: AddCommand = (program, context) => {
  const command = program
    .command('unjoin')
    .argument('[name]', 'name of the cluster on the hub, as --cluster-name')
    .summary('Remove this cluster from its hub')
    .description(
      'Remove this cluster from its hub: remove the agent and all objects that join created, and list it. With --hub-kubeconfig or --hub-context the cluster is removed on the hub first, so that works and add-ons are cleaned up while its agent still runs.',
    )
    .option('--cluster-name <name>', 'name of this cluster on the hub')
    .option('--hub-kubeconfig <file>', 'kubeconfig of the hub, to remove the cluster there first')
    .option('--hub-context <name>', 'context of the hub, to remove the cluster there first')
    .option(
      '--force',
      'do not wait for a hub or an agent that is dead; objects of works that are still applied stay on this cluster and are listed',
    )
    .option(
      '--purge-operator [boolean]',
      'remove the operator too, if no other Klusterlet needs it',
      booleanOption,
      true,
    )
    .addOption(timeoutOption('until the objects are gone'))
    .addOption(dryRunOption())
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla unjoin --cluster-name cluster1 --context kind-cluster1 --hub-context kind-hub
  $ flotilla unjoin cluster1 --kubeconfig hub.yaml --cluster-kubeconfig cluster1.yaml   # one that the hub reaches itself
  $ flotilla unjoin --cluster-name cluster1 --force   # the hub is gone for good
`,
    )
    .action(async (name: string | undefined, _options, self) => {
      const { wait, ...options } = allOptions<UnjoinOptions & UnjoinPushOptions & { wait?: number }>(self);
      const named = {
        ...options,
        clusterName: clusterNameOf(name, options.clusterName),
        timeout: wait ?? options.timeout,
      };
      if (isPush(options)) {
        const { unjoinPush } = await import('../push/unjoin-push.ts');
        return await unjoinPush(context, named);
      }
      const { unjoin } = await import('../actions/unjoin.ts');
      await unjoin(context, named);
    });
  addUnjoinPushFlags(command);
  takeIdleFlags(command, '--output-file <file>');
};
