import type { TokenDeleteOptions } from '../actions/token-delete.ts';
import { type AddCommand, allOptions, changeOutputOption } from './command.ts';

export const addTokenDelete: AddCommand = (token, context) => {
  token
    .command('delete')
    .summary('Delete tokens')
    .description(
      'Delete bootstrap tokens of the hub, by their ids or given as a whole. Clusters that joined with them stay.',
    )
    .argument('<tokens...>', 'ids, or whole tokens')
    .addOption(changeOutputOption())
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla token delete abcdef
`,
    )
    .action(async (tokens: string[], _options, self) => {
      const { tokenDelete } = await import('../actions/token-delete.ts');
      await tokenDelete(context, tokens, allOptions<TokenDeleteOptions>(self));
    });
};
