import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { EnvtestError } from '../errors.ts';

/** What a kubectl run left. */
export interface KubectlResult {
  stdout: string;
  stderr: string;
}

/** How kubectl is run. */
export interface KubectlOptions {
  /** Its standard input, for `-f -`. */
  stdin?: string;
  /** The kubeconfig of another user. Default: the administrator's. */
  kubeconfigPath?: string;
  signal?: AbortSignal;
}

/** Runs kubectl; a non-zero exit code is an error that carries what it said. */
export async function runKubectl(
  cluster: { binary: string; directory: string; kubeconfigPath: string; env: NodeJS.ProcessEnv },
  args: readonly string[],
  options: KubectlOptions = {},
): Promise<KubectlResult> {
  const child = spawn(cluster.binary, args, {
    cwd: cluster.directory,
    env: {
      PATH: cluster.env.PATH,
      // The discovery cache is kept with this cluster, not in the user's home directory.
      HOME: join(cluster.directory, 'kubectl'),
      KUBECONFIG: options.kubeconfigPath ?? cluster.kubeconfigPath,
    },
    ...(options.signal && { signal: options.signal }),
  });
  const exited = once(child, 'close');
  child.stdin.on('error', () => {});
  child.stdin.end(options.stdin);
  const [stdout, stderr, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  if (code !== 0) {
    const said = stderr.trim() || stdout.trim();
    throw new EnvtestError(
      'CommandFailed',
      `kubectl ${args.join(' ')} ended with ${signal ?? `code ${code}`}: ${said}`,
    );
  }
  return { stdout, stderr };
}
