import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** An app that runs, from the one file that it is shipped as. */
export interface Program extends AsyncDisposable {
  /** Lines of its log so far, parsed. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  /** Ends it and waits; SIGKILL is how a machine dies. Gives the exit code, if it had one. */
  end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

/** Starts `apps/<app>` with arguments; it has no environment but PATH, so nothing of this machine leaks in. */
export function startProgram(app: string, args: readonly string[]): Program {
  const file = fileURLToPath(new URL(`../../apps/${app}/dist/flotilla-${app}.js`, import.meta.url));
  const child = spawn(process.execPath, [file, ...args, '--listen=127.0.0.1:0'], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const log: Record<string, unknown>[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => log.push(parsed(line)));
  const exited = once(child, 'exit');
  const end = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
    return child.exitCode;
  };
  return {
    log,
    end,
    async [Symbol.asyncDispose]() {
      await end('SIGKILL');
    },
  };
}

/** What is said before there is a log is plain text. */
function parsed(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line);
  } catch {
    return { msg: line };
  }
}
