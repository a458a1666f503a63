import { basename } from 'node:path';
import type { Clock, ClusterAccess, KubeClient } from '@flotilla/kube';

/** What the commands see of the world; a spec passes its own. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Results only, so that they can be piped. */
  readonly out: { write(text: string): unknown };
  /** Progress, advice and errors. */
  readonly err: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number };
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
  /** Asks the user; absent where nobody can answer, because input or errors are not a terminal. */
  readonly ask?: (question: string) => Promise<string>;
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
  /** Change what is there without a question. */
  readonly yes?: boolean;
}

/** What commands that wait for something take. */
export interface WaitOptions {
  /** Seconds. */
  readonly timeout: number;
}

const isNpmScript = ({ npm_lifecycle_event: script }: CliContext['env']): boolean =>
  script === 'flotilla' || script === 'start';

/** Programs that this one replaces: a link of their name runs it. */
const replaced = ['clusteradm', 'karmadactl'];

/** How to call this program again, from the path it was called by: `npm run` hides its name. */
export const programName = (env: CliContext['env'], script: string | undefined): string => {
  if (isNpmScript(env)) return 'npm run -s flotilla --';
  const name = basename(script ?? '', '.js');
  return replaced.includes(name) ? name : 'flotilla';
};

/** The directory that paths in flags are relative to, where it is not the current one: `npm run` changes to the checkout. */
export const callerDirectory = (env: CliContext['env']): string | undefined =>
  isNpmScript(env) ? env.INIT_CWD : undefined;
