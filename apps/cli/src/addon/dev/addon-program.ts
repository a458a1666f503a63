import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { CliError } from '../../errors/cli-error.ts';

/** The program of an add-on, as `createAddonCli` makes it. */
export interface AddOnProgram {
  readonly directory: string;
  /** Its main module, relative to the directory. */
  readonly main: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How much of what a program wrote before it ended is shown. */
const mostLines = 20;

/** What a hub needs for the add-on, as its program prints it. */
export async function printInstall({ directory, main, env }: AddOnProgram): Promise<string> {
  const flags = [main, 'install', '--namespace', 'default', '--image', 'dev'];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: directory, env: { ...env } });
    return stdout;
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? lastLines(String(error.stderr)) : String(error);
    const hint = `It must be a program of \`createAddonCli\`, as \`npm create flotilla-addon\` makes it. Try it: node ${main} install --help`;
    throw new CliError('failed', `${main} does not print what a hub needs:\n${said}`, hint, error);
  }
}

/** Refuses a program without the command `agent`: it would fail on each cluster, after each save. Its sources must be known to load. */
export async function requireAgent({ directory, main, env }: AddOnProgram): Promise<void> {
  await promisify(execFile)(process.execPath, [main, 'agent', '--help'], { cwd: directory, env: { ...env } }).catch(
    (cause: unknown) => {
      const hint = `Without --run-agents, workloads are simulated. To write an agent, give \`createAddonCli\` in ${main} an \`agent\` with a function \`run\`.`;
      throw new CliError('usage', `this add-on has no agent program: ${main} has no command \`agent\``, hint, cause);
    },
  );
}

/** A command of an add-on that runs, and can be started again. */
export interface RunningCommand extends AsyncDisposable {
  /** Ends the program and starts it with the sources as they are now. */
  restart(): Promise<void>;
}

/** Flags of what runs here beside others: its log is for a reader, and its health is served on a free port. */
const localFlags = ['--listen', '0', '--logging-format', 'text'];

/** Starts `controller` or `agent` of an add-on. What it writes is reported at once, and that it ended if it did by itself. */
export function startCommand(
  { directory, main, env }: AddOnProgram,
  [name, ...args]: readonly [name: 'controller' | 'agent', ...args: string[]],
  report: (line: string) => void,
): RunningCommand {
  const flags = [main, name, ...args, ...localFlags];
  let child: ChildProcess | undefined;
  const start = (): ChildProcess => {
    const started = spawn(process.execPath, flags, {
      cwd: directory,
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const output of [started.stdout, started.stderr]) {
      if (output) createInterface(output).on('line', (line) => report(`| ${line}`));
    }
    started.once('close', (code) => {
      if (child !== started) return;
      child = undefined;
      report(`the ${name} of the add-on ended with ${code}; it is started again when you save a file`);
    });
    return started;
  };
  const stop = async (): Promise<void> => {
    const running = child;
    child = undefined;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const closed = once(running, 'close');
    // It has nothing to finish: its next run begins with what the hub has.
    running.kill('SIGKILL');
    await closed;
  };
  child = start();
  return {
    async restart() {
      await stop();
      child = start();
    },
    [Symbol.asyncDispose]: stop,
  };
}

const lastLines = (text: string): string => text.split('\n').slice(-mostLines).join('\n');
