import type { UpOptions } from '../actions/up.ts';
import { type AddCommand, allOptions, countOption, outputOption } from './command.ts';

export const addUp: AddCommand = (program, context) => {
  program
    .command('up')
    .summary('a hub and clusters on this machine, in seconds')
    .description(
      'Starts a hub and managed clusters in this process, with nothing to install: each cluster asks to join, is accepted, gets its certificate and reports. One more cluster waits for you to accept it. Ctrl-C ends everything.',
    )
    .option('--clusters <number>', 'how many clusters to let in', countOption, 2)
    .option('--data-dir <directory>', 'keep everything here and go on from it next time')
    .option('--auto-accept', 'let every cluster in that has a token, without an administrator')
    .option('--kube', 'real kube-apiservers instead of embedded ones; fetches or compiles them the first time')
    .option(
      '--detach',
      'run in the background until `flotilla down`; keeps everything in ~/.local/state/flotilla without --data-dir',
    )
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla up
  $ flotilla up --clusters 5 --data-dir ./fleet       # the same fleet again next time
  $ flotilla up --detach -o json                      # where the kubeconfigs are
  $ flotilla down
`,
    )
    .action(async (_options, self) => {
      const { up } = await import('../actions/up.ts');
      await up(context, allOptions<UpOptions>(self));
    });
};
