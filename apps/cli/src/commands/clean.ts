import type { CleanOptions } from '../actions/clean.ts';
import { type AddCommand, allOptions, booleanOption, dryRunOption, outputOption, timeoutOption } from './command.ts';
import { takeIdleFlags } from './flags-of-clusteradm.ts';

export const addClean: AddCommand = (program, context) => {
  const command = program
    .command('clean')
    .summary('Uninstall the hub')
    .description(
      'Uninstall the hub: remove all objects that init and the hub created, and list it. Refused while clusters are joined. The CustomResourceDefinitions are removed too, and with them all objects of these kinds.',
    )
    .option('--force', 'also remove clusters that are still joined, without waiting for a hub that no longer runs')
    .option('--name <name>', 'the ClusterManager to remove', 'cluster-manager')
    .option('--purge-operator [boolean]', 'remove the operator too', booleanOption, true)
    .addOption(timeoutOption('until the objects are gone'))
    .addOption(dryRunOption())
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla clean --dry-run                          # what it would remove
  $ flotilla clean --context kind-hub
  $ flotilla clean --force                            # the hub is dead and clusters are left
`,
    )
    .action(async (_options, self) => {
      const { clean } = await import('../actions/clean.ts');
      await clean(context, allOptions<CleanOptions>(self));
    });
  takeIdleFlags(command, '--output-file <file>');
};
