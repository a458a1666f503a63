import type { GetHubInfoOptions } from '../actions/get-hub-info.ts';
import { type AddCommand, allOptions, outputOption } from './command.ts';

export const addGetHubInfo: AddCommand = (get, context) => {
  get
    .command('hub-info')
    .summary('Display the hub')
    .description(
      'Display the hub: its address, its kinds and their versions, what runs there, and how many clusters it has.',
    )
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText('after', '\nExamples:\n  $ flotilla get hub-info\n  $ flotilla get hub-info -o json\n')
    .action(async (_options, self) => {
      const { getHubInfo } = await import('../actions/get-hub-info.ts');
      await getHubInfo(context, allOptions<GetHubInfoOptions>(self));
    });
};
