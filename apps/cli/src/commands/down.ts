import type { DownOptions } from '../actions/down.ts';
import { type AddCommand, allOptions, dryRunOption, outputOption, timeoutOption } from './command.ts';

export const addDown: AddCommand = (program, context) => {
  program
    .command('down')
    .summary('Stop a fleet that `up` started')
    .description(
      'Stop the fleet of a directory, and wait until its process has ended. Its data stays there for the next `up`.',
    )
    .option('--data-dir <directory>', 'directory that was given to up')
    .addOption(timeoutOption('until the fleet has ended'))
    .addOption(dryRunOption())
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText('after', '\nExamples:\n  $ flotilla down\n  $ flotilla down --data-dir ./fleet\n')
    .action(async (_options, self) => {
      const { down } = await import('../actions/down.ts');
      await down(context, allOptions<DownOptions>(self));
    });
};
