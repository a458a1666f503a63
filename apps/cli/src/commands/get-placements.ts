import type { GetPlacementsOptions } from '../actions/get-placements.ts';
import { type AddCommand, allOptions, listOutputOption } from './command.ts';

export const addGetPlacements: AddCommand = (get, context) => {
  get
    .command('placements')
    .aliases(['placement'])
    .summary('Display placements')
    .description('Display placements: whether they have the clusters that they want, and with -o wide which.')
    .argument('[names...]', 'only placements of these names')
    .option('-n, --namespace <name>', 'only placements of this namespace (default: all)')
    .addOption(listOutputOption('tree'))
    .addHelpText('after', '\nExamples:\n  $ flotilla get placements\n  $ flotilla get placements web -n team -o wide\n')
    .action(async (names: string[], _options, self) => {
      const { getPlacements } = await import('../actions/get-placements.ts');
      await getPlacements(context, names, allOptions<GetPlacementsOptions>(self));
    });
};
