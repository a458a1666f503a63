import type { AddOnDevOptions } from '../actions/addon-dev.ts';
import { type AddCommand, allOptions, countOption, timeoutOption } from './command.ts';

export const addAddOnDev: AddCommand = (addon, context) => {
  addon
    .command('dev')
    .summary('Develop an add-on on a fleet of its own')
    .description(
      'Start a hub and clusters in this process, install the add-on of a project on all of them, run its program again whenever a file is saved, and show what changes on each cluster. Nothing is left behind.',
    )
    .argument('[directory]', 'directory of the project (default: the current one)')
    .option('--clusters <number>', 'how many clusters', countOption, 2)
    .option('--main <file>', 'program of the add-on, within the directory', 'src/main.ts')
    .option(
      '--run-agents',
      'also run the agent of the add-on for each cluster, on this machine and with its credentials',
    )
    .addOption(timeoutOption('for the clusters'))
    .addHelpText(
      'after',
      '\nExamples:\n  $ flotilla addon dev ./my-addon\n  $ flotilla addon dev --run-agents ./my-addon\n  $ flotilla addon dev --clusters 3 --main src/cli.ts\n',
    )
    .action(async (directory: string | undefined, _options, self) => {
      const { developAddOn } = await import('../actions/addon-dev.ts');
      await developAddOn(context, directory, allOptions<AddOnDevOptions>(self));
    });
};
