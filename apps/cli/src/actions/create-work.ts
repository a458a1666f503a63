import { type ManifestWork, ManifestWorkCondition, manifestWorkReplicaSets, manifestWorks } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import { isDnsSubdomain } from '@flotilla/schema';
import { defaultManifestLimit, validateManifests } from '@flotilla/work-manager';
import { waitFor } from '../cluster/wait.ts';
import type { ChangeOptions, CliContext, GlobalOptions, WaitOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { startChangeReport } from '../output/change-report.ts';
import { withKind } from '../output/kubectl-name.ts';
import { startProgress } from '../output/progress.ts';
import { type ClustersOptions, chosenClusters, requireClusters } from '../work/choose-clusters.ts';
import { readManifests } from '../work/manifest-files.ts';
import { describeManifest, type Manifest } from '../work/manifests.ts';
import { newWork, withNamespaces } from '../work/new-work.ts';
import { placedClusters, placementNameOf, unplacedWorks } from '../work/placed-clusters.ts';
import { conditionOf, isCurrent, stageOf } from '../work/work-state.ts';
import { writeReplicaSet } from './create-replica-set.ts';

/** The flags of `create work`. */
export interface CreateWorkOptions extends ClustersOptions, ChangeOptions, WaitOptions {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  readonly placement?: string;
  readonly replicaset?: boolean;
  readonly overwrite?: boolean;
  readonly feedback?: boolean;
  readonly wait?: boolean;
  readonly output: string;
}

/** What becomes of the work on one cluster. */
interface Step {
  readonly cluster: string;
  readonly wanted: ManifestWork;
  readonly existing?: ManifestWork;
}

/** Gives the objects of files to clusters, as one work each. All is checked before the first is written. */
export async function createWork(
  context: CliContext,
  name: string | undefined,
  options: CreateWorkOptions & GlobalOptions,
): Promise<void> {
  const named = chosenClusters(options);
  const { filename = [], feedback = false, overwrite = false, dryRun = false } = options;
  checkFlags(name, named, options, context.program);
  const placement = options.placement === undefined ? undefined : placementNameOf(options.placement);
  const read = await readManifests(context, filename, options.recursive ?? false);
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  await requireClusters(hub.client, named, context.program);
  const manifests = withNamespaces(read, await hub.client.mapper.all());
  reportNamespaces(context, read, manifests);
  checkManifests(manifests);
  const report = startChangeReport(context, options);

  if (placement && options.replicaset) {
    const template = newWork(name, '', manifests, feedback).spec ?? {};
    const { replicaSet, text } = await writeReplicaSet(hub.client, name, template, placement, { overwrite, dryRun });
    report.add(withKind(manifestWorkReplicaSets, replicaSet), text);
    return report.end();
  }
  const clusters = placement ? await placedClusters(hub.client, placement) : named;
  const steps = await planSteps(hub.client, name, clusters, manifests, feedback);
  refuseOverwriting(steps, overwrite);
  const written: ManifestWork[] = [];
  for (const step of steps) {
    const work = await write(hub.client, step, dryRun);
    written.push(work);
    report.add(withKind(manifestWorks, work), outcomeOf(step));
  }
  const unplaced = placement ? await unplacedWorks(hub.client, name, clusters) : [];
  for (const { metadata } of unplaced) {
    const where = `work ${name} in cluster ${metadata?.namespace}`;
    if (!overwrite) context.err.write(`${where} stays, although it is not selected any more; --overwrite deletes it\n`);
    else {
      await hub.client.resource(manifestWorks).delete(`${metadata?.namespace}/${name}`, { dryRun });
      if (options.output === 'text') context.out.write(`delete ${where}${dryRun ? ' (dry run)' : ''}\n`);
    }
  }
  if (options.wait && !options.dryRun) await whenApplied(context, hub.client, written, options.timeout);
  report.end();
}

/** The agent puts a hash of 64 characters and a hyphen before it. */
const longestName = 188;

function checkFlags(
  name: string | undefined,
  clusters: readonly string[],
  { placement, replicaset, wait, filename = [] }: CreateWorkOptions,
  program: string,
): asserts name is string {
  const usage = (message: string, hint: string): CliError => new CliError('usage', message, hint);
  const example = `For example: \`${program} create work hello -f hello.yaml --clusters cluster1\`.`;
  if (name === undefined) throw usage('work name must be specified', example);
  if (name.length > longestName || !isDnsSubdomain(name)) {
    throw usage(
      `"${name}" cannot be the name of a work`,
      `It must have 1 to ${longestName} lower-case letters, digits, hyphens and dots, and begin and end with a letter or digit.`,
    );
  }
  if (filename.length === 0) throw usage('manifest files must be specified', example);
  if (replicaset && placement === undefined) {
    throw usage(
      '--placement must be specified when enable --replicaset',
      'For example: --replicaset --placement default/all.',
    );
  }
  if (placement === undefined && clusters.length === 0)
    throw usage('--clusters or --placement must be specified', example);
  if (placement !== undefined && clusters.length > 0) {
    throw usage('--clusters and --placement can only specify one', 'Leave one of them out.');
  }
  if (replicaset && wait) {
    throw usage('--wait cannot be used with --replicaset', `Follow it by \`${program} rollout status mwrs ${name}\`.`);
  }
}

/** Says where a namespace was put in, since the file does not. */
function reportNamespaces(context: CliContext, before: readonly Manifest[], after: readonly Manifest[]): void {
  for (const [index, manifest] of after.entries()) {
    if (manifest !== before[index])
      context.err.write(`${describeManifest(manifest)}: has no namespace, so default is used\n`);
  }
}

/** Refuses what the hub would refuse, also where its webhooks do not run, and before a part of it is written. */
function checkManifests(manifests: readonly Manifest[]): void {
  const refusal = validateManifests(manifests, defaultManifestLimit);
  if (refusal) throw new CliError('usage', refusal.message, refusal.warnings?.join('\n') ?? '');
}

const planSteps = (
  client: KubeClient,
  name: string,
  clusters: readonly string[],
  manifests: readonly Manifest[],
  feedback: boolean,
): Promise<Step[]> =>
  Promise.all(
    clusters.map(async (cluster) => {
      const wanted = newWork(name, cluster, manifests, feedback);
      const existing = await client.resource(manifestWorks).find(`${cluster}/${name}`);
      return { cluster, wanted, ...(existing && { existing }) };
    }),
  );

/** What the command decides about stays as it is; what others set, such as an executor, is none of its business. */
const isSame = ({ wanted, existing }: Step): boolean =>
  semanticEqual(wanted.spec?.workload, existing?.spec?.workload) &&
  (wanted.spec?.manifestConfigs === undefined ||
    semanticEqual(wanted.spec.manifestConfigs, existing?.spec?.manifestConfigs?.map(withoutDefaults)));

/** What the API server adds to a setting by itself. */
const withoutDefaults = ({ feedbackScrapeType: _, ...config }: { feedbackScrapeType?: unknown }): object => config;

function refuseOverwriting(steps: readonly Step[], overwrite: boolean): void {
  const blocked = steps.filter((step) => step.existing && !isSame(step));
  const [first] = blocked;
  if (!first || overwrite) return;
  const where = blocked.map(({ cluster }) => cluster).join(', ');
  throw new CliError(
    'precondition',
    `work ${first.wanted.metadata?.name} in cluster ${where} already exists, with other content`,
    'Replace its manifests with --overwrite, or take another name. Nothing was changed.',
  );
}

async function write(client: KubeClient, step: Step, dryRun: boolean): Promise<ManifestWork> {
  const { wanted, existing } = step;
  const works = client.resource(manifestWorks);
  if (!existing) return works.create(wanted, { dryRun });
  if (isSame(step)) return existing;
  const { resourceVersion, namespace, name } = existing.metadata ?? {};
  const body = { metadata: { resourceVersion }, spec: wanted.spec };
  return works.patch(`${namespace}/${name}`, { type: 'merge', body }, { dryRun });
}

function outcomeOf(step: Step): string {
  const { name } = step.wanted.metadata ?? {};
  if (!step.existing) return `create work ${name} in cluster ${step.cluster}`;
  if (isSame(step)) return `work ${name} in cluster ${step.cluster} already exists`;
  return `update work ${name} in cluster ${step.cluster}`;
}

/** Waits until the agents have applied the works and the objects exist. */
async function whenApplied(
  context: CliContext,
  client: KubeClient,
  works: readonly ManifestWork[],
  timeout: number,
): Promise<void> {
  using progress = startProgress(context);
  for (const { metadata } of works) {
    const goal = `work ${metadata?.name} in cluster ${metadata?.namespace}`;
    const hint = `See why: \`${context.program} explain work ${metadata?.name} --clusters ${metadata?.namespace}\`.`;
    await waitFor(context, { goal, hint, timeoutMs: timeout * 1000, progress }, async () => {
      const work = await client.resource(manifestWorks).get(`${metadata?.namespace}/${metadata?.name}`);
      const conditions = [ManifestWorkCondition.Applied, ManifestWorkCondition.Available].map((type) =>
        conditionOf(work, type),
      );
      const isThere = conditions.every((condition) => condition?.status === 'True' && isCurrent(work, condition));
      return isThere ? { found: true } : { pending: stageOf(work) || 'it is not reported yet' };
    });
    progress.done(`${goal} is applied, and its objects exist.`);
  }
}
