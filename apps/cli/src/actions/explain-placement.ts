import { type Placement, placements } from '@flotilla/api-types';
import type { PlacementTrace } from '@flotilla/placement';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { asCalled } from '../output/as-called.ts';
import { formatValue, isMachineFormat } from '../output/format.ts';
import { formatTable } from '../output/table.ts';
import { type ClusterExplanation, explainClusters } from '../placement/explain.policy.ts';
import { loadFleet } from '../placement/load-fleet.ts';
import { decidedClusters } from '../placement/placement-rows.ts';

/** The flags of `explain placement`. */
export interface ExplainPlacementOptions {
  readonly namespace: string;
  readonly clusters?: readonly string[];
  readonly output: string;
}

/** Explains what a placement makes of each cluster, by the engine of the scheduler and what the user may read. */
export async function explainPlacement(
  context: CliContext,
  name: string | undefined,
  options: ExplainPlacementOptions & GlobalOptions,
): Promise<void> {
  const { namespace, clusters: wanted = [], output } = options;
  if (name === undefined) {
    const example = `For example: \`${context.program} explain placement web --namespace team\`.`;
    throw new CliError('usage', 'the name of the placement must be specified', example);
  }
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  const placement = await hub.client.resource(placements).find(`${namespace}/${name}`);
  if (!placement) {
    const hint = `See all: \`${context.program} get placements\`. Name its namespace: --namespace.`;
    throw new CliError('failed', `there is no placement ${name} in namespace ${namespace}`, hint);
  }
  const { engine, clusters, decisions } = await loadFleet(hub.client, namespace, context.clock.now());
  const missing = wanted.filter((each) => !clusters.some(({ metadata }) => metadata?.name === each));
  if (missing.length > 0) {
    const hint = `See all: \`${context.program} get clusters\`.`;
    throw new CliError('failed', `there is no cluster ${missing.join(', ')}`, hint);
  }
  const trace = engine.trace(placement);
  const all = explainClusters(engine, placement, clusters, trace);
  const shown = wanted.length === 0 ? all : all.filter(({ cluster }) => wanted.includes(cluster));
  const decided = decidedClusters(placement, decisions).sort();
  if (isMachineFormat(output)) {
    const { eligibleSets: clusterSets, selected } = trace.result;
    const value = { placement: `${namespace}/${name}`, clusterSets, status: trace.status, selected, decided };
    context.out.write(formatValue({ ...value, clusters: shown }, output));
    return;
  }
  context.out.write(asCalled(`${summaryOf(placement, trace, clusters.length)}\n`, context.program));
  if (shown.length > 0) context.out.write(`\n${clusterTable(shown, trace)}`);
  if (trace.status.code !== 'Misconfigured' && decided.join() !== [...trace.result.selected].sort().join()) {
    context.out.write(
      `\nThe decisions on the hub are others: ${decided.join(', ') || 'none'}. If that stays so, placement does not run there.\n`,
    );
  }
}

function summaryOf({ metadata, spec }: Placement, { status, result, candidates }: PlacementTrace, all: number): string {
  const key = `${metadata?.namespace}/${metadata?.name}`;
  const count = spec?.numberOfClusters === undefined ? '' : ` (${spec.numberOfClusters} wanted)`;
  const lines = [`Placement ${key} selects ${result.selected.length} of ${all} clusters${count}.`];
  if (result.validSets.length === 0) {
    lines.push(
      `No cluster set is bound to namespace ${metadata?.namespace}: flotilla clusterset bind NAME --namespace ${metadata?.namespace}`,
    );
  } else if (result.eligibleSets.length === 0) {
    lines.push(`None of its cluster sets (${spec?.clusterSets?.join(', ')}) is bound to the namespace.`);
  } else {
    lines.push(`It chooses from cluster sets ${result.eligibleSets.join(', ')}: ${candidates.length} clusters.`);
  }
  if (status.code === 'Misconfigured') {
    const where = status.plugin === '' ? '' : `${status.plugin}: `;
    lines.push(`It is misconfigured, and its last good decisions stay: ${where}${status.reasons.join(', ')}`);
  } else if (status.code === 'Warning') lines.push(`Warning: ${status.reasons.join(', ')}`);
  return lines.join('\n');
}

function clusterTable(clusters: readonly ClusterExplanation[], { prioritizers }: PlacementTrace): string {
  const scored = prioritizers.map(({ name, weight }) => `${name.toUpperCase()}×${weight}`);
  return formatTable(
    ['CLUSTER', 'SELECTED', ...scored, 'TOTAL', 'WHY NOT'],
    clusters.map(({ cluster, selected, scores, total, reason = '' }) => [
      cluster,
      selected ? 'yes' : 'no',
      ...prioritizers.map(({ name }) => String(scores[name] ?? '-')),
      String(total ?? '-'),
      reason,
    ]),
  );
}
