import { managedClusterAddOns, managedClusters, manifestWorks } from '@flotilla/api-types';
import { pendingReason, type Removal, releaseFinalizers, WaitTimeoutError, waitFor, waitOf } from '@flotilla/install';
import { isAbsence, type KubeClient, KubeError } from '@flotilla/kube';
import { forcedRemovalAnnotation } from '@flotilla/registration-core/contract';
import type { ResourceType } from '@flotilla/schema';
import { stageOf } from './cluster-rows.ts';
import { watchLeader } from './leader.ts';

/** How long agent and hub may take to clean up in order before force is used. */
const graceMs = 10_000;
/** How long a hub may take that need not wait for the agent. */
const hubGraceMs = 5000;

/** Removes a cluster from the hub and waits until the hub has cleaned up after it. With force it does not wait for a dead agent or a dead hub. */
export async function removeCluster(removal: Removal, name: string, program: string): Promise<void> {
  const { client, clock, dryRun, force, timeoutMs, reporter } = removal;
  const clusters = client.resource(managedClusters);
  if (!(await clusters.find(name))) return;
  if (dryRun) return reporter.removed(`ManagedCluster ${name}`);
  await clusters.delete(name);
  const leader = watchLeader(client, clock);
  const gone = (ms: number) =>
    waitFor(
      {
        ...waitOf(removal),
        goal: `the hub to remove ${name}`,
        hint: `See what it waits for: \`${program} get clusters -o wide\` on the hub. --force does not wait.`,
        timeoutMs: ms,
      },
      async () => {
        const left = await clusters.find(name);
        if (!left) return { found: true };
        const noLeader = await leader();
        return { pending: noLeader === undefined ? stageOf(left) : `${stageOf(left)}; ${noLeader}` };
      },
    );
  const isGoneIn = (ms: number): Promise<boolean> =>
    gone(ms).then(
      () => true,
      (error: unknown) => {
        if (!force || !(error instanceof WaitTimeoutError)) throw error;
        return false;
      },
    );
  const isGone =
    (await isGoneIn(force ? Math.min(graceMs, timeoutMs) : timeoutMs)) ||
    // A hub that runs does not wait for the agent then, and removes what it created for the cluster.
    ((await markAgentGone(client, name)) && (await isGoneIn(Math.min(hubGraceMs, timeoutMs))));
  if (isGone) reporter.removed(`ManagedCluster ${name}`);
  else await forceRemoveCluster(removal, name);
}

/** False if the annotation cannot be set: the webhooks of a dead hub refuse every write. */
const markAgentGone = (client: KubeClient, name: string): Promise<boolean> =>
  client
    .resource(managedClusters)
    .patch(name, { type: 'merge', body: { metadata: { annotations: { [forcedRemovalAnnotation]: 'true' } } } })
    .then(
      () => true,
      (error: unknown) => isAbsence(error),
    );

/** Removes a cluster from the hub although no agent cleans up, and says what may be left on the cluster. */
export async function forceRemoveCluster(removal: Removal, name: string): Promise<void> {
  const { client, dryRun, reporter, timeoutMs } = removal;
  const clusters = client.resource(managedClusters);
  if (!(await clusters.find(name))) return;
  if (dryRun) return reporter.removed(`ManagedCluster ${name}`);
  await clusters.delete(name);
  for (const type of [manifestWorks, managedClusterAddOns]) await forceRemove(removal, type, name);
  await releaseFinalizers(clusters, name);
  const hint =
    'Finalizers of other programs are kept, also by force: wait until these programs release them, and run it again.';
  await waitFor({ ...waitOf(removal), goal: `ManagedCluster ${name} to go`, hint, timeoutMs }, async () => {
    const left = await clusters.find(name);
    return left ? { pending: pendingReason(left) } : { found: true };
  });
  reporter.removed(`ManagedCluster ${name}`);
}

async function forceRemove({ client, reporter }: Removal, type: ResourceType, namespace: string): Promise<void> {
  const handle = client.resource(type);
  const { items } = await handle.list({ namespace }).catch((error: unknown) => {
    if (KubeError.is(error, 'NotFound')) return { items: [] };
    throw error;
  });
  for (const { metadata } of items) {
    const key = `${namespace}/${metadata?.name}`;
    await handle.delete(key);
    if (metadata?.finalizers?.length) {
      await releaseFinalizers(handle, key);
      reporter.note(`${type.kind} ${key} was not cleaned up: what it put on cluster ${namespace} may be left there.`);
    }
    reporter.removed(`${type.kind} ${key}`);
  }
}
