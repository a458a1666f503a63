import type { GetWorksOptions } from '../actions/get-works.ts';
import { type AddCommand, allOptions, listOption, listOutputOption } from './command.ts';

export const addGetWorks: AddCommand = (get, context) => {
  get
    .command('works')
    .summary('Display the works of clusters')
    .description('Display the works of clusters, and whether they are applied.')
    .aliases(['work', 'manifestworks', 'manifestwork'])
    .argument('[names...]', 'only works of these names')
    .option('--clusters <names>', 'clusters, separated by commas (default: all)', listOption)
    .option('-c, --cluster <name>', 'one cluster', listOption)
    .addOption(listOutputOption('tree'))
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla get works
  $ flotilla get works hello -c cluster1 -o wide       # with feedback, and what it waits for
  $ flotilla get works --clusters cluster1 -o tree      # which object is applied
`,
    )
    .action(async (names: string[], _options, self) => {
      const { getWorks } = await import('../actions/get-works.ts');
      await getWorks(context, names, allOptions<GetWorksOptions>(self));
    });
};
