import type { Clock } from '@flotilla/kube';

/** What the commands see of the world; a spec passes its own. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Results only, so that they can be piped. */
  readonly out: { write(text: string): unknown };
  /** Progress, advice and errors. */
  readonly err: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly clock: Clock;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
  /** How the user calls this program, for the commands that it prints. */
  readonly program: string;
  /** All of the standard input. */
  readStdin(): Promise<string>;
}

/** What every command that talks to a cluster takes. */
export interface GlobalOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly dryRun?: boolean;
  /** Seconds. */
  readonly timeout: number;
}

/** How to call this program again: `npm run` hides its name. */
export const programName = (env: CliContext['env']): string =>
  env.npm_lifecycle_event === 'flotilla' || env.npm_lifecycle_event === 'start' ? 'npm run -s flotilla --' : 'flotilla';
