import { managedClusters } from '@flotilla/api-types';
import { type KubeClient, KubeError } from '@flotilla/kube';
import type { WallTime } from '@flotilla/kube/clock';
import {
  type ExplainedCluster,
  type ExplainedPlacement,
  explainRollout,
  type RolloutStep,
  unreachableSince,
} from '@flotilla/work-manager';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { formatValue, isMachineFormat } from '../output/format.ts';
import { formatTable } from '../output/table.ts';
import { readRolloutFacts } from '../rollout/read-facts.ts';
import { findReplicaSet, type RolloutOptions } from '../rollout/replica-set.ts';

/** The flags of `explain replicaset`. */
export interface ExplainReplicaSetOptions extends RolloutOptions {
  readonly clusters?: readonly string[];
  readonly output: string;
}

/** Explains where each cluster is in the rollout of a replica set. */
export async function explainReplicaSet(
  context: CliContext,
  name: string | undefined,
  options: ExplainReplicaSetOptions,
): Promise<void> {
  const { namespace, clusters: wanted, output } = options;
  if (name === undefined) {
    const example = `For example: \`${context.program} explain mwrs web --namespace team\`.`;
    throw new CliError('usage', 'the name of the ManifestWorkReplicaSet must be specified', example);
  }
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  const replicaSet = await findReplicaSet(hub.client, name, options);
  const facts = await readRolloutFacts(hub.client, replicaSet, context.clock.now());
  const unreachable = await unreachableClusters(hub.client);
  const all = explainRollout({ ...facts, unreachableSince: (cluster) => unreachable.get(cluster) });
  const isWanted = ({ cluster }: ExplainedCluster) => !wanted || wanted.includes(cluster);
  const missing = wanted?.filter((each) =>
    all.every(({ clusters }) => clusters.every(({ cluster }) => cluster !== each)),
  );
  if (missing && missing.length > 0) {
    const hint = `See all: \`${context.program} explain mwrs ${name} -n ${namespace}\`.`;
    throw new CliError('failed', `no placement of ${name} selects cluster ${missing.join(', ')}`, hint);
  }
  const shown = all.map((placement) => ({ ...placement, clusters: placement.clusters.filter(isWanted) }));
  if (isMachineFormat(output)) {
    context.out.write(formatValue({ replicaSet: `${namespace}/${name}`, placements: shown.map(withTimes) }, output));
    return;
  }
  context.out.write(`${summaryOf(`${namespace}/${name}`, all)}\n`);
  for (const [index, placement] of shown.entries()) {
    context.out.write(`\n${headerOf(all[index] ?? placement)}\n`);
    if (placement.clusters.length > 0) context.out.write(clusterTable(placement.clusters, context.clock.now()));
  }
}

/** Clusters that do not report to the hub, and since when. A user who may read works is not always allowed to read clusters. */
async function unreachableClusters(client: KubeClient): Promise<ReadonlyMap<string, WallTime>> {
  try {
    const { items } = await client.resource(managedClusters).list();
    return new Map(
      items.flatMap((cluster): [string, WallTime][] => {
        const since = unreachableSince(cluster);
        return since === undefined ? [] : [[cluster.metadata?.name ?? '', since]];
      }),
    );
  } catch (error) {
    if (KubeError.is(error, 'Forbidden')) return new Map();
    throw error;
  }
}

const withTimes = (placement: ExplainedPlacement) => ({
  ...placement,
  clusters: placement.clusters.map(({ until, ...cluster }) => ({
    ...cluster,
    ...(until !== undefined && { until: new Date(until).toISOString() }),
  })),
});

/** In the order in which a user wants to know of them. */
const counted: readonly (readonly [RolloutStep, string])[] = [
  ['Succeeded', 'succeeded'],
  ['Soaking', 'soaking'],
  ['Progressing', 'progressing'],
  ['Failed', 'failed'],
  ['TimedOut', 'timed out'],
  ['Unreachable', 'unreachable'],
  ['Next', 'next'],
  ['Waiting', 'waiting'],
];

function summaryOf(key: string, placements: readonly ExplainedPlacement[]): string {
  const clusters = placements.flatMap((placement) => placement.clusters).filter(({ step }) => step !== 'Removing');
  const parts = counted.flatMap(([step, word]) => {
    const count = clusters.filter((cluster) => cluster.step === step).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  const plural = clusters.length === 1 ? 'cluster' : 'clusters';
  return `ManifestWorkReplicaSet ${key}: ${clusters.length} ${plural}${parts.length > 0 ? `, ${parts.join(', ')}` : ''}.`;
}

const headerOf = ({ placement, strategy, held, clusters }: ExplainedPlacement): string => {
  const state = held ?? (clusters.length === 0 ? 'it selects no cluster' : undefined);
  return `Placement ${placement} (${strategy})${state ? `: ${state}` : ''}`;
};

const groupOf = ({ groupIndex, groupName }: ExplainedCluster): string =>
  groupIndex === undefined ? '-' : `${groupIndex}${groupName ? ` ${groupName}` : ''}`;

/** What a cluster waits for, and how long still. */
function whyOf({ step, why = '', until }: ExplainedCluster, now: number): string {
  if (until === undefined) return why;
  const left = `${Math.max(0, Math.ceil((until - now) / 1000))}s`;
  const time = step === 'Soaking' ? `must stay so for ${left}` : `${left} until its deadline`;
  return why ? `${why} (${time})` : time;
}

const clusterTable = (clusters: readonly ExplainedCluster[], now: number): string =>
  formatTable(
    ['CLUSTER', 'GROUP', 'STEP', 'WHY'],
    clusters.map((cluster) => [cluster.cluster, groupOf(cluster), cluster.step, whyOf(cluster, now)]),
  );
