import { Option } from 'commander';
import type { TokenCreateOptions } from '../actions/token-create.ts';
import {
  type AddCommand,
  allOptions,
  countOption,
  listOption,
  outputOption,
  registrationAuthOption,
} from './command.ts';

export const addTokenCreate: AddCommand = (token, context) => {
  token
    .command('create')
    .summary('Create a token to join')
    .description(
      'Create a bootstrap token with which clusters can request to join, and print it. It can be for one cluster, which goes into one set, and for a number of uses. An administrator still accepts each cluster, unless the hub is set up to accept automatically.',
    )
    .argument('[token]', 'the token itself, id.secret; left out, one is made')
    .option('--ttl <duration>', 'how long it lives; 0 for ever', '24h')
    .addOption(
      new Option('--usages <usages>', 'what it is for: signing (of cluster-info), authentication')
        .argParser((text: string) => listOption(text))
        .default(['signing', 'authentication'], 'both'),
    )
    .option('--groups <groups>', 'groups of its holder; default: those that joining needs', listOption)
    .option('--description <text>', 'for other administrators')
    .option('--cluster-name <name>', 'the only cluster that can register with it')
    .option('--cluster-set <name>', 'the set that this cluster goes into')
    .option('--max-uses <count>', 'how many certificates can be had with it; then it is deleted', countOption)
    .option('--print-join-command', 'print the `join` command instead of the token')
    .option('--print-register-command', 'print the `register` command instead of the token')
    .addOption(
      registrationAuthOption(
        'the auth type of the commands: with grpc, for clusters that reach the gRPC server of this hub only (default: what the hub offers, csr first)',
      ),
    )
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla token create --print-register-command
  $ flotilla token create --cluster-name cluster1 --cluster-set edge --max-uses 1 --ttl 1h --print-register-command
  $ flotilla token create --print-register-command --registration-auth grpc
`,
    )
    .action(async (given: string | undefined, _options, self) => {
      const { tokenCreate } = await import('../actions/token-create.ts');
      await tokenCreate(context, given, allOptions<TokenCreateOptions>(self));
    });
};
