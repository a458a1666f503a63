import { type ManifestWork, manifestWorks } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { waitFor } from '../cluster/wait.ts';
import type { ChangeOptions, CliContext, GlobalOptions, WaitOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { objectName } from '../output/listing.ts';
import { type Progress, startProgress } from '../output/progress.ts';
import { formatResult, nameOfKind } from '../output/result.ts';
import { type ClustersOptions, chosenClusters, requireClusters } from '../work/choose-clusters.ts';
import { findWorks } from '../work/find-works.ts';
import { stageOf } from '../work/work-state.ts';

/** The flags of `delete work`. */
export interface DeleteWorkOptions extends ClustersOptions, ChangeOptions, WaitOptions {
  readonly force?: boolean;
  /** False for `--no-wait`. */
  readonly wait: boolean;
  readonly output: string;
}

/** Deletes works of clusters, and waits until the agents have deleted what they applied. */
export async function deleteWork(
  context: CliContext,
  names: readonly string[],
  options: DeleteWorkOptions & GlobalOptions,
): Promise<void> {
  const clusters = chosenClusters(options);
  const { dryRun = false, output } = options;
  const example = `For example: \`${context.program} delete work hello --clusters cluster1\`.`;
  if (names.length === 0) throw new CliError('usage', 'work name must be specified', example);
  if (clusters.length === 0) throw new CliError('usage', 'either --cluster or --clusters needs to be set', example);
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  await requireClusters(hub.client, clusters, context.program);
  const works = await findWorks(hub.client, names, clusters);
  const missing = names.filter((name) => !works.some(({ metadata }) => metadata?.name === name));
  reportPartlyMissing(context, works, clusters);
  using progress = startProgress(context);
  if (!dryRun) for (const work of works) await remove(hub.client, work, options.force ?? false);
  for (const work of works) {
    if (options.wait && !dryRun) await whenGone(context, hub.client, work, options.timeout, progress);
    const { name, namespace } = work.metadata ?? {};
    if (output !== 'text') continue;
    const words = options.wait ? 'is deleted' : 'is being deleted';
    context.out.write(
      dryRun
        ? `Would delete work ${name} in cluster ${namespace}.\n`
        : `work ${name} in cluster ${namespace} ${words}\n`,
    );
  }
  const deleted = works.map(({ metadata }) => ({ work: metadata?.name, cluster: metadata?.namespace }));
  const deletedNames = works.map((work) => nameOfKind(manifestWorks, objectName(work)));
  context.out.write(formatResult(output, { text: '', value: { dryRun, deleted }, names: deletedNames }));
  if (missing.length === 0) return;
  throw new CliError(
    'failed',
    `there is no work ${missing.join(', ')} in cluster ${clusters.join(', ')}`,
    `See all: \`${context.program} get works\`.`,
  );
}

/** Says where a work is not that other clusters have; one that none has is an error. */
function reportPartlyMissing(context: CliContext, works: readonly ManifestWork[], clusters: readonly string[]): void {
  for (const [name, own] of Map.groupBy(works, ({ metadata }) => metadata?.name)) {
    for (const cluster of clusters) {
      if (own.some(({ metadata }) => metadata?.namespace === cluster)) continue;
      context.err.write(`There is no work ${name} in cluster ${cluster}.\n`);
    }
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
  const goal = `the agent of ${namespace} to delete what work ${name} applied`;
  const hint = `See what is left: \`${context.program} explain work ${name} --clusters ${namespace}\`. If the cluster is gone for good: --force.`;
  await waitFor(context, { goal, hint, timeoutMs: timeout * 1000, progress }, async () => {
    const left = await client.resource(manifestWorks).find(`${namespace}/${name}`);
    return left && left.metadata?.uid === uid ? { pending: stageOf(left) } : { found: true };
  });
}
