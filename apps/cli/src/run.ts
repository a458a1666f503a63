import { CommanderError } from 'commander';
import { guardedConnector } from './cluster/read-only.ts';
import type { CliContext } from './context.ts';
import { exitCodes, ProgramEnded } from './errors/cli-error.ts';
import { createProgram } from './program.ts';

/** Help was asked for, by `--help`, by `help`, or by naming a command that has only others below it. */
const helped = ['commander.helpDisplayed', 'commander.help', 'commander.version'];

/** Runs one command line to its exit code. */
export async function run(argv: readonly string[], context: CliContext): Promise<number> {
  try {
    let dryRun = false;
    const program = createProgram({ ...context, connector: guardedConnector(context.connector, () => dryRun) });
    program.hook('preAction', (_program, command) => {
      dryRun = command.opts<{ dryRun?: boolean }>().dryRun === true;
    });
    await program.parseAsync(argv, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    // Commander has written its own words already.
    if (error instanceof CommanderError) return helped.includes(error.code) ? exitCodes.ok : exitCodes.usage;
    if (error instanceof ProgramEnded) return error.exitCode;
    // Ctrl-C: the user knows, and a script must not take it for done.
    if (context.signal.aborted) return exitCodes.interrupted;
    const { explainError } = await import('./errors/explain-error.ts');
    const { message, hint, exitCode } = explainError(error);
    context.err.write(`Error: ${message}\n${hint}\n`);
    return exitCode;
  }
}
