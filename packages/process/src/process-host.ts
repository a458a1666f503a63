import type { LogDestination } from './log/create-logger.ts';
import type { Environment } from './options/environment.ts';

/** What can happen to a process from outside its code. */
export type HostEvent = 'SIGTERM' | 'SIGINT' | 'unhandledRejection' | 'uncaughtException';

/** The operating system, as `runProcess` sees it; a spec passes its own. */
export interface ProcessHost {
  readonly argv: readonly string[];
  readonly env: Environment;
  /** For --help and --version. */
  print(text: string): void;
  /** For what happens before there is a log. */
  printError(text: string): void;
  /** Where the log goes. Default: standard error. */
  readonly logDestination?: LogDestination;
  readonly isTerminal: boolean;
  /** Calls the listener at each event until the result is called. */
  on(event: HostEvent, listener: (value: unknown) => void): () => void;
  exit(code: number): void;
}

/** The Node process this code runs in. */
export const nodeHost = (): ProcessHost => ({
  argv: process.argv.slice(2),
  env: process.env,
  print: (text) => process.stdout.write(text),
  printError: (text) => process.stderr.write(text),
  isTerminal: process.stderr.isTTY === true,
  on(event, listener) {
    process.on(event, listener);
    return () => process.off(event, listener);
  },
  exit: (code) => process.exit(code),
});
