import type { TokenListOptions } from '../actions/token-list.ts';
import { type AddCommand, allOptions, listOutputOption } from './command.ts';

export const addTokenList: AddCommand = (token, context) => {
  token
    .command('list')
    .summary('List the tokens')
    .description('List the bootstrap tokens of the hub, without their secrets: when they end, and what they are for.')
    .addOption(listOutputOption())
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla token list
  $ flotilla token list -o json
`,
    )
    .action(async (_options, self) => {
      const { tokenList } = await import('../actions/token-list.ts');
      await tokenList(context, allOptions<TokenListOptions>(self));
    });
};
