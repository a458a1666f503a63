import type { KubeClient } from '@flotilla/kube';
import { nodes } from '@flotilla/kube/kinds';
import { CliError } from '../errors/cli-error.ts';
import { operatorFlags } from '../options/operator-flags.ts';

/** Whether a cluster has a node that runs pods: those of a simulator only seem to. */
async function runsPods(client: KubeClient): Promise<boolean> {
  const { items } = await client.resource(nodes).list();
  return items.some(({ status }) => !status?.nodeInfo?.containerRuntimeVersion.startsWith('simulated://'));
}

/** Whether the operator is to be installed: as the flag says, else if the cluster runs pods. */
export async function usesOperator(client: KubeClient, options: { readonly operator?: boolean }): Promise<boolean> {
  const uses = options.operator ?? (await runsPods(client));
  if (!uses) refuseOperatorFlags(options, options.operator === false);
  return uses;
}

/** A flag without the operator would be ignored, and the user would find out much later. */
function refuseOperatorFlags(options: object, isForced: boolean): void {
  const [flag] = Object.entries(operatorFlags).flatMap(([key, name]) => (Object.hasOwn(options, key) ? [name] : []));
  if (flag === undefined) return;
  throw new CliError(
    'usage',
    `${flag} has no effect without the operator${isForced ? '' : ', and this cluster has no nodes that could run it'}`,
    `Leave ${flag} out, or install the operator all the same: --operator=true.`,
  );
}
