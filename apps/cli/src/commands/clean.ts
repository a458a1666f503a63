import type { CleanOptions } from '../actions/clean.ts';
import { type AddCommand, allOptions, outputOption, refuseForNow } from './command.ts';

export const addClean: AddCommand = (program, context) => {
  const command = program
    .command('clean')
    .summary('make this cluster an ordinary one again')
    .description(
      'Takes away everything that init made and what the hub made of it, and says what. Refused while clusters are joined. The definitions of kinds go too, and with them the objects of these kinds.',
    )
    .option(
      '--force',
      'also take away the clusters that are still there, without waiting for a hub that no longer runs',
    )
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla clean --dry-run                          # what it would take away
  $ flotilla clean --context kind-hub
  $ flotilla clean --force                            # the hub is dead and clusters are left
`,
    )
    .action(async (_options, self) => {
      const { clean } = await import('../actions/clean.ts');
      await clean(context, allOptions<CleanOptions>(self));
    });
  refuseForNow(command, { '--purge-operator': 'the operator', '--name': 'the operator' });
};
