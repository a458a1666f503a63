import { bootstrapTokenIdOf } from '@flotilla/kube/bootstrap-token';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { deleteJoinToken } from '../hub/join-tokens.ts';
import { formatResult } from '../output/result.ts';

/** The flags of `token delete`. */
export interface TokenDeleteOptions {
  readonly output: string;
}

/** Deletes tokens by their ids, or given as a whole. */
export async function tokenDelete(
  context: CliContext,
  tokens: readonly string[],
  options: TokenDeleteOptions & GlobalOptions,
): Promise<void> {
  // All are checked before the first is deleted. What is wrong may be a secret, and is not repeated.
  const ids = tokens.map((token, index) => {
    const id = bootstrapTokenIdOf(token);
    if (id !== undefined) return id;
    const hint = `Give its id, six letters or digits as \`${context.program} token list\` prints it, or the whole token.`;
    throw new CliError('usage', `argument ${index + 1} is not a token`, hint);
  });
  await using hub = await context.connector.toCluster(options);
  const missing: string[] = [];
  const deleted: string[] = [];
  for (const id of new Set(ids)) {
    const isDeleted = await deleteJoinToken(hub.client, context.clock, id);
    (isDeleted ? deleted : missing).push(id);
    if (isDeleted && options.output === 'text') context.out.write(`bootstrap token "${id}" deleted\n`);
  }
  context.out.write(formatResult(options.output, { text: '', value: { deleted }, names: deleted }));
  if (missing.length === 0) return;
  const hint = `It may have expired or be used up. \`${context.program} token list\` prints those that there are.`;
  throw new CliError('failed', `there is no token ${missing.join(', ')}`, hint);
}
