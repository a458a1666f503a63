import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { realClock } from '@flotilla/kube';

/** One line of a log. */
export type LogLine = Readonly<Record<string, unknown>>;

/** An app that runs, from the one file that it is shipped as. */
export interface Program extends AsyncDisposable {
  readonly pid: number;
  /** Lines of its log so far, parsed. */
  readonly log: readonly LogLine[];
  /** Whether it still runs. */
  readonly running: boolean;
  /** The first line, past or to come, that holds all of these texts. */
  said(...texts: readonly string[]): Promise<LogLine>;
  /** Ends it and waits; SIGKILL is how a machine dies. Gives the exit code, if it had one. */
  end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

/** How a program is started. */
export interface ProgramOptions {
  /** Flags of Node itself. */
  readonly nodeFlags?: readonly string[];
  /** Environment beside PATH. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Only ends what hangs, also on a machine that is busy elsewhere. */
const timeoutMs = 100_000;

/** The one file that an app is shipped as. */
export const bundleOf = (app: string): string =>
  fileURLToPath(
    new URL(`../../apps/${app}/dist/${app === 'cli' ? 'flotilla' : `flotilla-${app}`}.js`, import.meta.url),
  );

/** What `apps/<app>` consists of, for a node that runs it in a pod. */
export const filesOf = (app: string): string[] => [process.execPath, dirname(bundleOf(app))];

/** Starts `apps/<app>` with arguments; it serves its health and metrics on a free port. */
export const startProgram = (app: string, args: readonly string[], options: ProgramOptions = {}): Program =>
  startFile(bundleOf(app), [...args, '--listen=127.0.0.1:0'], options);

/** Starts a file with Node. */
export const startFile = (
  file: string,
  args: readonly string[],
  { nodeFlags = [], env }: ProgramOptions = {},
): Program => startExecutable(process.execPath, [...nodeFlags, file, ...args], { ...(env && { env }) });

/** Starts an executable; it has no environment but PATH and what is given, so nothing of this machine leaks in. */
export function startExecutable(
  file: string,
  args: readonly string[],
  { env }: Pick<ProgramOptions, 'env'> = {},
): Program {
  const child = spawn(file, args, { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  const log: LogLine[] = [];
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.push(parsed(line));
    notify();
  });
  const exited = once(child, 'exit').finally(notify);
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const end = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') => {
    if (isRunning()) child.kill(signal);
    await exited;
    return child.exitCode;
  };
  return {
    pid: child.pid ?? 0,
    log,
    get running() {
      return isRunning();
    },
    said: (...texts) =>
      new Promise((resolve, reject) => {
        const stop = () => {
          cancel();
          listeners.delete(check);
        };
        const check = () => {
          const line = log.find((candidate) => {
            const text = JSON.stringify(candidate);
            return texts.every((wanted) => text.includes(wanted));
          });
          if (line === undefined) return;
          stop();
          resolve(line);
        };
        const cancel = realClock.schedule(timeoutMs, () => {
          stop();
          reject(new Error(`${file} did not say ${texts.join(' … ')}:\n${tail({ log })}`));
        });
        listeners.add(check);
        check();
      }),
    end,
    async [Symbol.asyncDispose]() {
      await end('SIGKILL');
    },
  };
}

/** The metrics that a program serves. */
export async function metricsOf(program: Program): Promise<string> {
  const { url } = await program.said('serving health and metrics');
  return (await fetch(`${url}/metrics`)).text();
}

/** The end of a log, for a failure. */
export const tail = ({ log }: Pick<Program, 'log'>): string =>
  log
    .slice(-100)
    .map((line) => JSON.stringify(line).slice(0, 600))
    .join('\n');

/** What is said before there is a log is plain text. */
function parsed(line: string): LogLine {
  try {
    return JSON.parse(line);
  } catch {
    return { msg: line };
  }
}
