import type { CliContext, GlobalOptions } from '../context.ts';
import { listJoinTokens } from '../hub/join-tokens.ts';
import { tokenTable, tokenValue } from '../hub/token-rows.ts';
import { isObjectFormat } from '../output/format.ts';
import { formatResult } from '../output/result.ts';
import { noResources } from '../output/table.ts';

/** The flags of `token list`. */
export interface TokenListOptions {
  readonly output: string;
}

/** Prints the bootstrap tokens of the hub, and never their secrets. */
export async function tokenList(context: CliContext, options: TokenListOptions & GlobalOptions): Promise<void> {
  await using hub = await context.connector.toCluster(options);
  const listed = await listJoinTokens(hub.client);
  const text = listed.length === 0 ? '' : tokenTable(listed, options.output === 'wide', context.clock.now());
  const names = listed.map(({ token }) => token.id);
  context.out.write(formatResult(options.output, { text, value: listed.map(tokenValue), names }));
  if (listed.length === 0 && !isObjectFormat(options.output)) context.err.write(noResources);
}
