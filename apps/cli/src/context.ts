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
  /** The file of this program, for processes that run it. */
  readonly script: string;
  /** Where the manifests are that run an agent in a cluster. */
  readonly agentManifests: string;
  readonly connector: Connector;
  /** All of the standard input. */
  readStdin(): Promise<string>;
}

/** Reaches clusters. */
export interface Connector {
  /** The cluster that the user chose, found as kubectl finds it. */
  toCluster(choice: ClusterChoice): Promise<Connection>;
  /** A server that the flags describe. Nothing is sent yet. */
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

/** What every command takes. */
export type GlobalOptions = ClusterChoice;

/** What commands that change something take. */
export interface ChangeOptions {
  readonly dryRun?: boolean;
}

/** What commands that wait for something take. */
export interface WaitOptions {
  /** Seconds. */
  readonly timeout: number;
}

const isNpmScript = ({ npm_lifecycle_event: script }: CliContext['env']): boolean =>
  script === 'flotilla' || script === 'start';

/** How to call this program again: `npm run` hides its name. */
export const programName = (env: CliContext['env']): string =>
  isNpmScript(env) ? 'npm run -s flotilla --' : 'flotilla';

/** The directory that paths in flags are relative to, where it is not the current one: `npm run` changes to the checkout. */
export const callerDirectory = (env: CliContext['env']): string | undefined =>
  isNpmScript(env) ? env.INIT_CWD : undefined;
