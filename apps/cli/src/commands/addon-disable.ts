import type { AddOnDisableOptions } from '../actions/addon-disable.ts';
import { type AddCommand, allOptions, changeOutputOption, dryRunOption, listOption, timeoutOption } from './command.ts';

export const addAddOnDisable: AddCommand = (addon, context) => {
  addon
    .command('disable')
    .summary('Disable add-ons on clusters')
    .description(
      'Disable add-ons on clusters: their agents and what they were given there are removed, after what the add-on does before that. An add-on that a placement installs comes back, and the command says so.',
    )
    .option('--names <names>', 'add-ons, separated by commas', listOption)
    .option('--clusters <names>', 'clusters, separated by commas (default: all)', listOption)
    .option('-c, --cluster <name>', 'one cluster', listOption)
    .option('--wait', 'wait until they are removed')
    .addOption(timeoutOption('with --wait'))
    .addOption(dryRunOption())
    .addOption(changeOutputOption())
    .addHelpText('after', '\nExamples:\n  $ flotilla addon disable --names hello --clusters cluster1 --wait\n')
    .action(async (_options, self) => {
      const { disableAddOns } = await import('../actions/addon-disable.ts');
      await disableAddOns(context, allOptions<AddOnDisableOptions>(self));
    });
};
