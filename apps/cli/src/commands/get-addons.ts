import type { GetAddOnsOptions } from '../actions/get-addons.ts';
import { type AddCommand, allOptions, listOption, listOutputOption } from './command.ts';

export const addGetAddOns: AddCommand = (get, context) => {
  get
    .command('addons')
    .summary('Display add-ons')
    .description('Display the add-ons that the hub offers, on how many clusters they are, and on how many Available.')
    .aliases(['addon', 'clustermanagementaddons', 'clustermanagementaddon'])
    .argument('[names...]', 'only add-ons of these names')
    .option('--clusters <names>', 'count these clusters only, separated by commas (default: all)', listOption)
    .option('-c, --cluster <name>', 'one cluster', listOption)
    .addOption(listOutputOption('tree'))
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla get addons
  $ flotilla get addons -o wide                     # with what keeps one from being Available
  $ flotilla get addons hello -c cluster1 -o tree   # which object of it is applied
`,
    )
    .action(async (names: string[], _options, self) => {
      const { getAddOns } = await import('../actions/get-addons.ts');
      await getAddOns(context, names, allOptions<GetAddOnsOptions>(self));
    });
};
