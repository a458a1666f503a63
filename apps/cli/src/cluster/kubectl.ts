import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';

/** Runs the installed kubectl on this terminal, and gives its exit code. Ctrl-C reaches it by the terminal; it decides how to end. */
export async function runKubectl(
  { env }: Pick<CliContext, 'env'>,
  argv: readonly string[],
  kubeconfig: string | undefined,
): Promise<number> {
  const child = spawn(env.KUBECTL ?? 'kubectl', argv, {
    env: { ...env, ...(kubeconfig !== undefined && { KUBECONFIG: kubeconfig }) },
    stdio: 'inherit',
  });
  try {
    const [code] = await once(child, 'exit');
    return typeof code === 'number' ? code : 130;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    throw new CliError(
      'precondition',
      'kubectl is not installed',
      'Install it (https://kubernetes.io/docs/tasks/tools), or name it in the environment variable KUBECTL.',
      error,
    );
  }
}
