import type { DeleteWorkOptions } from '../actions/delete-work.ts';
import { type AddCommand, allOptions, listOption } from './command.ts';

export const addDeleteWork: AddCommand = (parent, context) => {
  parent
    .command('work')
    .summary('take objects away from clusters')
    .description(
      'Deletes a work on clusters, and waits until their agents have taken away what it applied. Run it on the hub.',
    )
    .argument('[name]', 'name of the work')
    .option('--clusters <names>', 'the clusters, separated by commas', listOption)
    .option('-c, --cluster <name>', 'one cluster', listOption)
    .option(
      '--force',
      'drop the work at once, for clusters that are gone; where the agent runs, it removes the objects an hour later',
    )
    .option('--no-wait', 'do not wait until the objects are gone')
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla delete work hello --clusters cluster1,cluster2
  $ flotilla delete work hello -c cluster1 --force     # the cluster is gone for good
`,
    )
    .action(async (name: string | undefined, _options, self) => {
      const { deleteWork } = await import('../actions/delete-work.ts');
      await deleteWork(context, name, allOptions<DeleteWorkOptions>(self));
    });
};
