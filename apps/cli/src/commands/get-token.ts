import type { GetTokenOptions } from '../actions/get-token.ts';
import { type AddCommand, allOptions, outputOption } from './command.ts';
import { takeIdleFlags } from './flags-of-clusteradm.ts';

export const addGetToken: AddCommand = (get, context) => {
  const command = get
    .command('token')
    .summary('Print a token to join, and the join command')
    .description(
      'Print a token with which clusters can request to join, valid for an hour, and the command to run there.',
    )
    .option('--use-bootstrap-token', 'print the bootstrap token of the hub, valid for a day; created if there is none')
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
  takeIdleFlags(command, '--output-file <file>');
};
