import { stopDirectory } from '../up/control-socket.ts';
import { fleetDirectory } from '../up/detach.ts';
import { type AddCommand, allOptions } from './command.ts';

export const addDown: AddCommand = (program, context) => {
  program
    .command('down')
    .summary('end what `up --detach` started')
    .description(
      'Ends the fleet of a directory, and waits until nothing of it runs any more. What it stored stays for the next time.',
    )
    .option('--data-dir <directory>', 'the directory that was given to up')
    .addHelpText('after', '\nExamples:\n  $ flotilla down\n  $ flotilla down --data-dir ./fleet\n')
    .action(async (_options, command) => {
      const directory = fleetDirectory(context.env, allOptions<{ dataDir?: string }>(command).dataDir);
      const stopped = await stopDirectory(directory);
      context.out.write(stopped ? `The fleet of ${directory} has ended.\n` : `No fleet of ${directory} is running.\n`);
    });
};
