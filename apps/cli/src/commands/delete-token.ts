import type { DeleteTokenOptions } from '../actions/delete-token.ts';
import { type AddCommand, allOptions, dryRunOption, outputOption, timeoutOption } from './command.ts';

export const addDeleteToken: AddCommand = (remove, context) => {
  remove
    .command('token')
    .summary('Revoke all join tokens')
    .description(
      'End all tokens by which clusters can request to join, also those that were given out. Clusters that have joined stay. `flotilla get token` makes new ones possible.',
    )
    .addOption(timeoutOption('until the objects are gone'))
    .addOption(dryRunOption())
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText('after', '\nExamples:\n  $ flotilla delete token\n  $ flotilla delete token --dry-run\n')
    .action(async (_options, self) => {
      const { deleteToken } = await import('../actions/delete-token.ts');
      await deleteToken(context, allOptions<DeleteTokenOptions>(self));
    });
};
