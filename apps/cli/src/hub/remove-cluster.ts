import { managedClusterAddOns, managedClusters, manifestWorks, type ResourceType } from '@flotilla/api-types';
import { isAbsence, type KubeClient, KubeError } from '@flotilla/kube';
import { forcedRemovalAnnotation } from '@flotilla/registration-core/contract';
import { isTimeout } from '../errors.ts';
import { letGo, type Removal } from '../remove.ts';
import { waitFor } from '../waiting.ts';
import { stageOf } from './cluster-rows.ts';

/** How long agent and hub may take to clean up in order before force is used. */
const graceMs = 10_000;
/** How long a hub may take that need not wait for the agent. */
const hubGraceMs = 5000;

/** Takes a cluster off the hub and waits until the hub has cleaned up after it. With force it does not wait for a dead agent or a dead hub. */
export async function removeCluster(removal: Removal, name: string): Promise<void> {
  const { context, client, dryRun, force, timeoutMs, progress, removed } = removal;
  const clusters = client.resource(managedClusters);
  if (!(await clusters.find(name))) return;
  if (dryRun) return removed(`ManagedCluster ${name}`);
  await clusters.delete(name);
  const gone = (ms: number) =>
    waitFor(
      context,
      {
        goal: `the hub to remove ${name}`,
        hint: `See what it waits for: \`${context.program} get clusters -o wide\` on the hub. With --force it is not waited for.`,
        timeoutMs: ms,
        progress,
      },
      async () => {
        const left = await clusters.find(name);
        return left ? { pending: stageOf(left) } : { found: true };
      },
    );
  const isGoneIn = (ms: number): Promise<boolean> =>
    gone(ms).then(
      () => true,
      (error: unknown) => {
        if (!force || !isTimeout(error)) throw error;
        return false;
      },
    );
  const isGone =
    (await isGoneIn(force ? Math.min(graceMs, timeoutMs) : timeoutMs)) ||
    // A hub that lives does without the agent when it is told, and takes away all that it made for the cluster.
    ((await tellAgentIsGone(client, name)) && (await isGoneIn(Math.min(hubGraceMs, timeoutMs))));
  if (isGone) removed(`ManagedCluster ${name}`);
  else await forceOutCluster(removal, name);
}

/** False if nobody can be told: the webhooks of a dead hub let nothing through. */
const tellAgentIsGone = (client: KubeClient, name: string): Promise<boolean> =>
  client
    .resource(managedClusters)
    .patch(name, { type: 'merge', body: { metadata: { annotations: { [forcedRemovalAnnotation]: 'true' } } } })
    .then(
      () => true,
      (error: unknown) => isAbsence(error),
    );

/** Takes a cluster off the hub although nobody cleans up after it, and says what may be left on it. */
export async function forceOutCluster(removal: Removal, name: string): Promise<void> {
  const { client, dryRun, progress, removed } = removal;
  const clusters = client.resource(managedClusters);
  if (!(await clusters.find(name))) return;
  if (dryRun) return removed(`ManagedCluster ${name}`);
  await clusters.delete(name);
  for (const type of [manifestWorks, managedClusterAddOns]) await forceOut(removal, type, name);
  await letGo(clusters, name);
  await waitFor(
    removal.context,
    { goal: `ManagedCluster ${name} to go`, hint: `Run it again.`, timeoutMs: removal.timeoutMs, progress },
    async () => ((await clusters.find(name)) ? { pending: 'it is still there' } : { found: true }),
  );
  removed(`ManagedCluster ${name}`);
}

async function forceOut({ client, progress, removed }: Removal, type: ResourceType, namespace: string): Promise<void> {
  const handle = client.resource(type);
  const { items } = await handle.list({ namespace }).catch((error: unknown) => {
    if (KubeError.is(error, 'NotFound')) return { items: [] };
    throw error;
  });
  for (const { metadata } of items) {
    const key = `${namespace}/${metadata?.name}`;
    await handle.delete(key);
    if (metadata?.finalizers?.length) {
      await letGo(handle, key);
      progress.done(`${type.kind} ${key} was not cleaned up: what it put on cluster ${namespace} may be left there.`);
    }
    removed(`${type.kind} ${key}`);
  }
}
