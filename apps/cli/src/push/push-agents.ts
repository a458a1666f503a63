import { Label, NamespaceName } from '@flotilla/api-types';
import { type Clock, type KubeClient, KubeError } from '@flotilla/kube';
import { leases } from '@flotilla/kube/kinds';
import type { CliContext } from '../context.ts';

/** Whether a replica of the push agents renews its lease on a hub; undefined if the user may not read leases. */
async function runPushAgents(client: KubeClient, clock: Clock): Promise<boolean | undefined> {
  try {
    const list = { namespace: NamespaceName.Hub, labelSelector: Label.PushAgents };
    const { items } = await client.resource(leases).list(list);
    return items.some(({ spec: { renewTime, leaseDurationSeconds = 0 } = {} }) => {
      const ageMs = clock.now() - Date.parse(String(renewTime));
      return ageMs <= leaseDurationSeconds * 1000;
    });
  } catch (error) {
    if (KubeError.is(error, 'Forbidden')) return undefined;
    throw error;
  }
}

/** How push agents are started. */
export const howToRunPushAgents = ({ program, hubProgram }: CliContext): string =>
  `On a hub that the operator runs: \`${program} init --feature-gates PushAgents=true\`. On another one, start \`${hubProgram} push-agents\` beside it; \`${program} up\` starts none without --operator.`;

/** What keeps a pushed cluster from becoming Available; undefined if nothing is known to. */
export async function whyNoPushAgents(context: CliContext, hub: KubeClient): Promise<string | undefined> {
  if ((await runPushAgents(hub, context.clock)) !== false) return undefined;
  return `No push agents run on the hub: the cluster stays unavailable until they do. ${howToRunPushAgents(context)}`;
}
