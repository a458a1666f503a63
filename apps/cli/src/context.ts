import type { Clock, ClusterAccess, KubeClient } from '@flotilla/kube';

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
  /** How the user starts the hub, likewise. */
  readonly hubProgram: string;
  readonly connector: Connector;
  /** All of the standard input. */
  readStdin(): Promise<string>;
}

/** Reaches clusters. */
export interface Connector {
  /** The cluster that the user chose, found as kubectl finds it. */
  toCluster(choice: ClusterChoice): Promise<Connection>;
  /** A server with what the user was told about it. Nothing is sent yet. */
  toServer(access: ClusterAccess): Promise<Connection>;
}

/** A cluster that can be talked to. */
export interface Connection extends AsyncDisposable {
  readonly client: KubeClient;
  readonly access: ClusterAccess;
}

/** Which cluster of which kubeconfig. */
export interface ClusterChoice {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** What every command that talks to a cluster takes. */
export interface GlobalOptions extends ClusterChoice {
  readonly dryRun?: boolean;
  /** Seconds. */
  readonly timeout: number;
}

/** How to call this program again: `npm run` hides its name. */
export const programName = (env: CliContext['env']): string =>
  env.npm_lifecycle_event === 'flotilla' || env.npm_lifecycle_event === 'start' ? 'npm run -s flotilla --' : 'flotilla';
