import { type ManifestWork, manifestWorks } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors.ts';
import { requireHub } from '../hub/accept.ts';
import { type Progress, startProgress } from '../output/progress.ts';
import { waitFor } from '../waiting.ts';
import { type ClustersOptions, chosenClusters, requireClusters } from '../work/choose-clusters.ts';
import { findWorks } from '../work/find-works.ts';
import { stageOf } from '../work/work-state.ts';

/** The flags of `delete work`. */
export interface DeleteWorkOptions extends ClustersOptions {
  readonly force?: boolean;
  /** False for `--no-wait`. */
  readonly wait: boolean;
}

/** Deletes a work on clusters, and waits until the agents have taken away what it applied. */
export async function deleteWork(
  context: CliContext,
  name: string | undefined,
  options: DeleteWorkOptions & GlobalOptions,
): Promise<void> {
  const clusters = chosenClusters(options);
  const example = `For example: \`${context.program} delete work hello --clusters cluster1\`.`;
  if (name === undefined) throw new CliError('usage', 'work name must be specified', example);
  if (clusters.length === 0) throw new CliError('usage', 'either --cluster or --clusters needs to be set', example);
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  await requireClusters(hub.client, clusters, context.program);
  const works = await findWorks(hub.client, name, clusters);
  for (const cluster of clusters) {
    if (works.some(({ metadata }) => metadata?.namespace === cluster)) continue;
    context.err.write(`There is no work ${name} in cluster ${cluster}.\n`);
  }
  if (works.length === 0) {
    throw new CliError(
      'failed',
      `there is no work ${name} in cluster ${clusters.join(', ')}`,
      `See all: \`${context.program} get works\`.`,
    );
  }
  if (options.dryRun) {
    for (const work of works) context.out.write(`Would delete work ${name} in cluster ${work.metadata?.namespace}.\n`);
    return;
  }
  using progress = startProgress(context);
  for (const work of works) await remove(hub.client, work, options.force ?? false);
  for (const work of works) {
    if (options.wait) await whenGone(context, hub.client, work, options.timeout, progress);
    const words = options.wait ? 'is deleted' : 'is being deleted';
    context.out.write(`work ${name} in cluster ${work.metadata?.namespace} ${words}\n`);
  }
}

async function remove(client: KubeClient, { metadata }: ManifestWork, force: boolean): Promise<void> {
  const works = client.resource(manifestWorks);
  const key = `${metadata?.namespace}/${metadata?.name}`;
  await works.delete(key, { preconditions: { uid: metadata?.uid } });
  if (!force || !metadata?.finalizers?.length) return;
  // The work itself goes; what it applied is left to the agent, which misses it and cleans up after a grace period.
  const left = await works.find(key);
  if (left) await works.patch(key, { type: 'merge', body: { metadata: { uid: metadata.uid, finalizers: null } } });
}

async function whenGone(
  context: CliContext,
  client: KubeClient,
  { metadata }: ManifestWork,
  timeout: number,
  progress: Progress,
): Promise<void> {
  const { name, namespace, uid } = metadata ?? {};
  const goal = `the agent of ${namespace} to take away what work ${name} applied`;
  const hint = `See what is left: \`${context.program} explain work ${name} --clusters ${namespace}\`. If the cluster is gone for good: --force.`;
  await waitFor(context, { goal, hint, timeoutMs: timeout * 1000, progress }, async () => {
    const left = await client.resource(manifestWorks).find(`${namespace}/${name}`);
    return left && left.metadata?.uid === uid ? { pending: stageOf(left) } : { found: true };
  });
}
