import { readFile } from 'node:fs/promises';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';

/** Where the token of `join` may come from. */
export interface TokenSource {
  readonly hubToken?: string;
  readonly hubTokenFile?: string;
}

/** From the flag, a file or standard input: arguments can be read by every process of the machine. */
export async function readToken(
  context: CliContext,
  { hubToken, hubTokenFile }: TokenSource,
  moreHelp = '',
): Promise<string> {
  if (hubToken !== undefined && hubTokenFile === undefined) return hubToken.trim();
  if (hubTokenFile === undefined || hubToken !== undefined) {
    const message = hubToken === undefined ? 'token is missing' : 'there are two tokens';
    throw new CliError('usage', message, `Give either --hub-token or --hub-token-file.${moreHelp}`);
  }
  if (hubTokenFile === '-') return (await context.readStdin()).trim();
  const text = await readFile(hubTokenFile, 'utf8').catch((error: unknown) => {
    throw new CliError(
      'usage',
      `cannot read --hub-token-file ${hubTokenFile}`,
      'Give a file that this user may read.',
      error,
    );
  });
  return text.trim();
}
