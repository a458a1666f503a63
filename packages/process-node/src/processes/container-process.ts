import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Clock } from '@flotilla/kube';
import type { ContainerMount } from '../contracts/image.ts';
import type { NetworkBase } from '../contracts/pod-network.ts';
import { ContainerLog } from './container-log.ts';
import { killMarked, markVariable, newMark } from './container-mark.ts';
import { type NamespaceBase, namespaceCommand } from './mount-namespace.ts';
import { rewritePaths } from './rewrite-paths.ts';
import type { Watchdog } from './watchdog.ts';

/** What a container is started as. */
export interface ProcessSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly ContainerMount[];
  /** In the container. */
  readonly workingDirectory: string;
  /** The network namespace of its pod; unset: the network of the machine. */
  readonly network?: string;
}

/** What processes of a node have in common. */
export interface ProcessHost {
  /** Unset: mount paths are rewritten. */
  readonly namespace?: NamespaceBase;
  /** Unset: pods share the network of the machine. */
  readonly network?: NetworkBase;
  readonly watchdog: Watchdog;
  readonly clock: Clock;
}

/** How a process ended; a signal counts as 128 more than its number, as in a shell. */
export interface ProcessExit {
  readonly exitCode: number;
  readonly signal?: number;
}

/** How long pipes may stay open after the process ended: whoever inherited them is not part of the container's life. */
const drainMs = 2000;

/** Tells a program of this repository where its service account is, if that is not where Kubernetes mounts it. */
const serviceAccountVariable = 'KUBERNETES_SERVICE_ACCOUNT_DIRECTORY';
const serviceAccountPath = '/var/run/secrets/kubernetes.io/serviceaccount';

/** A running container: a process with a group of its own. */
export class ContainerProcess {
  readonly log: ContainerLog;
  readonly spec: ProcessSpec;
  /** Resolves when it has ended and its output is in the log. */
  readonly exited: Promise<ProcessExit>;
  readonly #child: ChildProcess;
  readonly #host: ProcessHost;
  readonly #mark: string;
  #isOver = false;

  /** Throws if the program cannot be started. */
  static async start(host: ProcessHost, spec: ProcessSpec, logPath: string): Promise<ContainerProcess> {
    const mark = newMark(host.watchdog.mark);
    const marked = { ...spec, env: { ...spec.env, [markVariable]: mark } };
    const child = spawnIn(host, marked, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const started = Promise.withResolvers<void>();
    child.once('spawn', started.resolve);
    child.once('error', started.reject);
    await started.promise;
    return new ContainerProcess(host, marked, child, { log: new ContainerLog(logPath, host.clock), mark });
  }

  private constructor(
    host: ProcessHost,
    spec: ProcessSpec,
    child: ChildProcess,
    { log, mark }: { log: ContainerLog; mark: string },
  ) {
    this.#host = host;
    this.#child = child;
    this.#mark = mark;
    this.spec = spec;
    this.log = log;
    if (child.pid !== undefined) host.watchdog.watch(child.pid);
    if (child.stdout) log.add(child.stdout, 'stdout');
    if (child.stderr) log.add(child.stderr, 'stderr');
    this.exited = this.#end();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Signals the whole group; nothing if it is over. */
  kill(signal: 'SIGTERM' | 'SIGKILL' | 'SIGINT'): void {
    if (!this.#isOver) killGroup(this.pid, signal);
  }

  async #end(): Promise<ProcessExit> {
    const exit = await new Promise<ProcessExit>((resolve) => {
      this.#child.once('exit', (code, signal) => resolve(exitOf(code, signal)));
    });
    // What it started must not outlive the container.
    killGroup(this.pid, 'SIGKILL');
    if (!this.#host.namespace?.ownsProcesses) await killMarked(this.#mark, this.#host.clock);
    this.#isOver = true;
    this.#host.watchdog.forget(this.pid);
    const drained = Promise.withResolvers<void>();
    const cancel = this.#host.clock.schedule(drainMs, drained.resolve);
    await this.log.close(drained.promise);
    cancel();
    return exit;
  }
}

/** Starts a command as a container sees the machine. */
export function spawnIn(
  { namespace }: Pick<ProcessHost, 'namespace'>,
  { command, args, env, mounts, workingDirectory, network }: ProcessSpec,
  options: { detached: boolean; stdio: ['ignore' | 'pipe', 'pipe', 'pipe'] },
): ChildProcess {
  if (namespace) {
    const wrapped = namespaceCommand(namespace, { command, args, mounts, workingDirectory });
    const entered = inNetwork(network, wrapped);
    return spawn(entered.command, entered.args, { ...options, cwd: '/', env: { ...env } });
  }
  const rewrite = (text: string) => rewritePaths(text, mounts);
  const account = mounts.find(({ mountPath }) => mountPath === serviceAccountPath);
  const rewritten = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, rewrite(value)]));
  const entered = inNetwork(network, { command: rewrite(command), args: args.map(rewrite) });
  return spawn(entered.command, entered.args, {
    ...options,
    cwd: rewrite(workingDirectory),
    env: { ...rewritten, ...(account && { [serviceAccountVariable]: account.path }) },
  });
}

/** The command line that runs a command in a network namespace; the process that is started becomes the command. */
const inNetwork = (network: string | undefined, { command, args }: { command: string; args: string[] }) =>
  network === undefined
    ? { command, args }
    : { command: 'nsenter', args: [`--net=${network}`, '--', command, ...args] };

export const exitOf = (code: number | null, signal: NodeJS.Signals | null): ProcessExit => {
  const number = signal === null ? undefined : constants.signals[signal];
  return number === undefined ? { exitCode: code ?? 0 } : { exitCode: 128 + number, signal: number };
};

function killGroup(group: number, signal: NodeJS.Signals): void {
  try {
    if (group > 0) process.kill(-group, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
