import { klusterlets } from '@flotilla/api-types';
import { listKlusterlets, removeObject, retireAgent } from '@flotilla/install';
import { removalOf } from '../cluster/removal.ts';
import type { CliContext, Connection } from '../context.ts';
import type { Progress } from '../output/progress.ts';

/**
 * Stops the agent of a member that joined by pull before, and keeps the records of its works: the hub goes on with them, so that no
 * object is deleted or created anew.
 */
export async function stopPullAgent(
  context: CliContext,
  { client }: Connection,
  { clusterName, timeout }: { readonly clusterName: string; readonly timeout: number },
  progress: Progress,
): Promise<void> {
  const own = (await listKlusterlets(client)).find(({ spec }) => spec?.clusterName === clusterName);
  if (!own) return;
  const removed = (what: string) => progress.done(`Removed ${what} of the agent.`);
  const removal = removalOf(context, client, { timeout }, { progress, removed, left: () => undefined });
  await removeObject(removal, client.resource(klusterlets), { ...own, kind: klusterlets.kind });
  await retireAgent(removal, own);
  progress.done(`The agent of ${clusterName} is stopped: the hub goes on with what it has applied.`);
}
