import { Command, CommanderError } from 'commander';
import { visibleCommands } from './command.ts';

/** What commander suggests for a word that is none of the commands below one, such as "Did you mean clusters?". */
export function suggestionFor(word: string, parent: Command): string | undefined {
  const probe = new Command().exitOverride().configureOutput({ writeErr() {} });
  for (const command of visibleCommands(parent)) probe.command(command.name()).aliases(command.aliases());
  try {
    probe.parse([word], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return /Did you mean [^)]*/.exec(error.message)?.[0];
    throw error;
  }
  return undefined;
}
