import type { DeleteWorkOptions } from '../actions/delete-work.ts';
import { type AddCommand, allOptions, changeOutputOption, dryRunOption, listOption, timeoutOption } from './command.ts';

export const addDeleteWork: AddCommand = (parent, context) => {
  parent
    .command('work')
    .summary('Delete works and what they applied')
    .description(
      'Delete works of clusters, and wait until their agents have deleted what the works applied. Run it on the hub.',
    )
    .alias('works')
    .argument('[names...]', 'names of works')
    .option('--clusters <names>', 'clusters, separated by commas', listOption)
    .option('-c, --cluster <name>', 'one cluster', listOption)
    .option(
      '--force',
      'delete the work at once, for clusters that are gone; an agent that still runs deletes the objects an hour later',
    )
    .option('--no-wait', 'do not wait until the objects are gone')
    .addOption(timeoutOption('until the objects are gone'))
    .addOption(dryRunOption())
    .addOption(changeOutputOption())
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla delete work hello --clusters cluster1,cluster2
  $ flotilla delete work hello shop -c cluster1
  $ flotilla delete work hello -c cluster1 --force     # the cluster is gone for good
`,
    )
    .action(async (names: string[], _options, self) => {
      const { deleteWork } = await import('../actions/delete-work.ts');
      await deleteWork(context, names, allOptions<DeleteWorkOptions>(self));
    });
};
