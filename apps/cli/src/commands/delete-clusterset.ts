import type { DeleteClusterSetOptions } from '../actions/delete-clusterset.ts';
import { type AddCommand, allOptions, changeOutputOption, dryRunOption, timeoutOption } from './command.ts';

export const addDeleteClusterSet: AddCommand = (remove, context) => {
  remove
    .command('clusterset')
    .summary('Delete a cluster set')
    .description(
      'Delete a cluster set, and wait until it is gone. Its clusters stay. A set that is bound to a namespace is refused, and so are default and global.',
    )
    .argument('[name...]', 'name of the set')
    .addOption(timeoutOption('for the deletion'))
    .addOption(dryRunOption())
    .addOption(changeOutputOption())
    .addHelpText('after', '\nExamples:\n  $ flotilla delete clusterset prod\n')
    .action(async (names: string[], _options, self) => {
      const { deleteClusterSet } = await import('../actions/delete-clusterset.ts');
      await deleteClusterSet(context, names, allOptions<DeleteClusterSetOptions>(self));
    });
};
