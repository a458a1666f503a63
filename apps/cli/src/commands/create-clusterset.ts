import type { CreateClusterSetOptions } from '../actions/create-clusterset.ts';
import { type AddCommand, allOptions, changeOutputOption, dryRunOption } from './command.ts';

export const addCreateClusterSet: AddCommand = (create, context) => {
  create
    .command('clusterset')
    .summary('Create a cluster set')
    .description('Create a cluster set, to which `clusterset set` adds clusters. One that exists is left as it is.')
    .argument('[name...]', 'name of the set')
    .addOption(dryRunOption())
    .addOption(changeOutputOption())
    .addHelpText('after', '\nExamples:\n  $ flotilla create clusterset prod\n')
    .action(async (names: string[], _options, self) => {
      const { createClusterSet } = await import('../actions/create-clusterset.ts');
      await createClusterSet(context, names, allOptions<CreateClusterSetOptions>(self));
    });
};
