import { runKubectl } from '../cluster/kubectl.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { ProgramEnded } from '../errors/cli-error.ts';

/** Runs `kubectl config` on the kubeconfig that this program would use. */
export async function config(context: CliContext, words: readonly string[], options: GlobalOptions): Promise<void> {
  const chosen = options.context === undefined ? [] : ['--context', options.context];
  const code = await runKubectl(context, ['config', ...words, ...chosen], options.kubeconfig);
  if (code !== 0) throw new ProgramEnded(code);
}
