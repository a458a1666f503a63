import { type AddCommand, allOptions, outputOption } from './command.ts';

export const addDown: AddCommand = (program, context) => {
  program
    .command('down')
    .summary('end what `up --detach` started')
    .description(
      'Ends the fleet of a directory, and waits until nothing of it runs any more. What it stored stays for the next time.',
    )
    .option('--data-dir <directory>', 'the directory that was given to up')
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText('after', '\nExamples:\n  $ flotilla down\n  $ flotilla down --data-dir ./fleet\n')
    .action(async (_options, self) => {
      const { down } = await import('../actions/down.ts');
      await down(context, allOptions<{ dataDir?: string; output: string }>(self));
    });
};
