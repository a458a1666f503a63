import { type ChildProcess, spawn } from 'node:child_process';
import { type ContainerProcess, exitOf, type ProcessExit, type ProcessHost, spawnIn } from './container-process.ts';
import { enterCommand } from './mount-namespace.ts';

/** Starts a command in a running container, with its files and variables: for exec, and for probes that execute. */
export function spawnInContainer(
  host: ProcessHost,
  container: ContainerProcess,
  command: readonly string[],
): ChildProcess {
  const [program = '', ...args] = command;
  const { env, workingDirectory } = container.spec;
  if (!host.namespace)
    return spawnIn(host, { ...container.spec, command: program, args }, { detached: true, stdio: pipes });
  const entered = enterCommand(host.namespace, container.pid, workingDirectory, [program, ...args]);
  return spawn(entered.command, entered.args, { detached: true, stdio: pipes, env: { ...env } });
}

const pipes: ['pipe', 'pipe', 'pipe'] = ['pipe', 'pipe', 'pipe'];

/** The most of its output that is kept. */
const maxOutputBytes = 10 * 1024;

/** Runs a command to its end; the signal kills it with what it started. */
export async function runInContainer(
  host: ProcessHost,
  container: ContainerProcess,
  command: readonly string[],
  signal: AbortSignal,
): Promise<ProcessExit & { output: string }> {
  const child = spawnInContainer(host, container, command);
  let output = '';
  const collect = (chunk: Buffer) => {
    if (output.length < maxOutputBytes) output += chunk.toString('utf8');
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  child.stdin?.end();
  const end = () => killQuietly(child);
  signal.addEventListener('abort', end, { once: true });
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, by) => resolve({ ...exitOf(code, by), output }));
    });
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Ends a command and what it started. */
export function killQuietly({ pid }: ChildProcess): void {
  try {
    if (pid) process.kill(-pid, 'SIGKILL');
  } catch {
    // It is over already.
  }
}
