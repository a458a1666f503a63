import { delimiter, resolve } from 'node:path';
import type { CliContext, ClusterChoice } from '../context.ts';

/**
 * The flags that choose the same cluster from another terminal, in another directory and without its environment. Several files in
 * KUBECONFIG are not one flag: who sets these has them in each terminal.
 */
export function clusterFlags({ env }: Pick<CliContext, 'env'>, { kubeconfig, context }: ClusterChoice): string[] {
  const files = kubeconfig !== undefined ? [kubeconfig] : (env.KUBECONFIG?.split(delimiter).filter(Boolean) ?? []);
  const [file] = files;
  return [
    ...(file !== undefined && files.length === 1 ? ['--kubeconfig', resolve(file)] : []),
    ...(context !== undefined ? ['--context', context] : []),
  ];
}
