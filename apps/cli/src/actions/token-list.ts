import type { CliContext, GlobalOptions } from '../context.ts';
import { listJoinTokens } from '../hub/join-tokens.ts';
import { tokenHeaders, tokenRow, tokenValue } from '../hub/token-rows.ts';
import { formatValue, isMachineFormat } from '../output/format.ts';
import { formatTable, noResources } from '../output/table.ts';

/** The flags of `token list`. */
export interface TokenListOptions {
  readonly output: string;
}

/** Prints the bootstrap tokens of the hub, and never their secrets. */
export async function tokenList(context: CliContext, options: TokenListOptions & GlobalOptions): Promise<void> {
  await using hub = await context.connector.toCluster(options);
  const listed = await listJoinTokens(hub.client);
  if (isMachineFormat(options.output)) {
    context.out.write(formatValue(listed.map(tokenValue), options.output));
    return;
  }
  if (listed.length === 0) {
    context.err.write(noResources);
    return;
  }
  const now = context.clock.now();
  context.out.write(
    formatTable(
      tokenHeaders,
      listed.map((each) => tokenRow(each, now)),
    ),
  );
}
