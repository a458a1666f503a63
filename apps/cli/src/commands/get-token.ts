import type { GetTokenOptions } from '../actions/get-token.ts';
import { type AddCommand, allOptions, outputOption } from './command.ts';

export const addGetToken: AddCommand = (get, context) => {
  get
    .command('token')
    .description('A token with which clusters can ask to join, good for an hour, and the command to run there.')
    .option('--use-bootstrap-token', 'the bootstrap token of the hub, good for a day; made if there is none')
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla get token
  $ flotilla get token -o json | jq -r '."hub-token"'
`,
    )
    .action(async (_options, self) => {
      const { getToken } = await import('../actions/get-token.ts');
      await getToken(context, allOptions<GetTokenOptions>(self));
    });
};
