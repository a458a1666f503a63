import { type Command, CommanderError } from 'commander';
import { guardedConnector } from './cluster/read-only.ts';
import { tracedConnector } from './cluster/traced.ts';
import type { CliContext } from './context.ts';
import { exitCodes, ProgramEnded } from './errors/cli-error.ts';
import { goFlags } from './go-flags.ts';
import { asCalled } from './output/as-called.ts';
import { findPlugin, runPlugin } from './plugins.ts';
import { createProgram } from './program.ts';

/** Help was asked for, by `--help`, by `help`, or by naming a command that has only others below it. */
const helped = ['commander.helpDisplayed', 'commander.help', 'commander.version'];

/** The plugin that the first word names, if it names no command. */
async function pluginFor(
  program: Command,
  [first = '']: readonly string[],
  env: CliContext['env'],
): Promise<string | undefined> {
  const names = program.commands.flatMap((command) => [command.name(), ...command.aliases()]);
  return ['', 'help', ...names].includes(first) ? undefined : await findPlugin(env, first);
}

/** Runs one command line to its exit code. */
export async function run(argv: readonly string[], context: CliContext): Promise<number> {
  try {
    let global: { dryRun?: boolean; v?: number } = {};
    const traced = tracedConnector(context.connector, context, () => global.v ?? 0);
    const connector = guardedConnector(traced, () => global.dryRun === true);
    const program = createProgram({ ...context, connector });
    program.hook('preAction', (_program, command) => {
      global = command.optsWithGlobals();
    });
    const plugin = await pluginFor(program, argv, context.env);
    if (plugin !== undefined) return await runPlugin(plugin, argv.slice(1), context.env);
    await program.parseAsync(goFlags(program, argv), { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    // Commander has written its own words already.
    if (error instanceof CommanderError) return helped.includes(error.code) ? exitCodes.ok : exitCodes.usage;
    if (error instanceof ProgramEnded) return error.exitCode;
    // Ctrl-C: the user knows, and a script must not take it for done.
    if (context.signal.aborted) return exitCodes.interrupted;
    const { explainError } = await import('./errors/explain-error.ts');
    const { message, hint, exitCode } = explainError(error);
    context.err.write(asCalled(`Error: ${message}\n${hint}\n`, context.program));
    return exitCode;
  }
}
