import { type ManagedCluster, managedClusters } from '@flotilla/api-types';
import { waitFor } from '../cluster/wait.ts';
import type { CliContext, Connection, GlobalOptions } from '../context.ts';
import type { HubReach } from '../managed/hub-reach.ts';
import type { JoinOptions } from '../operator/join-options.ts';
import type { Progress } from '../output/progress.ts';
import { formatResult, nameOfKind } from '../output/result.ts';
import { type EarlierJoin, forgetEarlierJoin } from './earlier-join.ts';

export async function askAgain(managed: Connection, { klusterlet }: EarlierJoin, progress: Progress): Promise<void> {
  await forgetEarlierJoin(managed.client, klusterlet);
  const { clusterName } = klusterlet.spec ?? {};
  progress.done(`The hub does not have ${clusterName}: the agent requests to join anew.`);
}

/** What an administrator of the hub has to do. */
export function adviceFor({ program }: CliContext, { clusterName }: JoinOptions, cluster: ManagedCluster | undefined) {
  const accept = `${program} accept --clusters ${clusterName}`;
  const isAccepted = cluster?.spec?.hubAcceptsClient === true;
  const text = isAccepted
    ? `The hub has accepted ${clusterName} already.\n`
    : `Log onto the hub cluster and run:\n\n    ${accept}\n\nThis is not needed when the ManagedClusterAutoApproval feature is enabled.\n`;
  return { accept, isAccepted, text };
}

export function printJoined(
  context: CliContext,
  { clusterName, output }: JoinOptions,
  { address, text, accept }: { address: string; text: string; accept: string },
): void {
  const value = { cluster: clusterName, hub: address, accept };
  context.out.write(formatResult(output, { text, value, names: [nameOfKind(managedClusters, clusterName)] }));
}

/** Waits until the hub knows the cluster: its agent runs. */
export async function registered(
  context: CliContext,
  hub: HubReach,
  { clusterName, timeout }: JoinOptions & GlobalOptions,
  progress: Progress,
): Promise<void> {
  await using connection = await hub.connect();
  await waitFor(
    context,
    {
      goal: 'the agent to register the cluster',
      hint: `Is an agent running? Start one here: \`${context.program} join … --run\`.`,
      timeoutMs: timeout * 1000,
      progress,
    },
    async () =>
      (await connection.client.resource(managedClusters).find(clusterName))
        ? { found: true }
        : { pending: 'the hub does not know it yet' },
  );
}
