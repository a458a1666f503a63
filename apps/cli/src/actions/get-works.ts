import { manifestWorks } from '@flotilla/api-types';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { formatManifests, formatValue } from '../output/format.ts';
import { noResources } from '../output/table.ts';
import { type ClustersOptions, chosenClusters, requireClusters } from '../work/choose-clusters.ts';
import { findWorks } from '../work/find-works.ts';
import { workTable, workTree } from '../work/work-rows.ts';

/** The flags of `get works`. */
export interface GetWorksOptions extends ClustersOptions {
  readonly output: string;
}

/** Prints the works of clusters. */
export async function getWorks(
  context: CliContext,
  names: readonly string[],
  options: GetWorksOptions & GlobalOptions,
): Promise<void> {
  const clusters = chosenClusters(options);
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  await requireClusters(hub.client, clusters, context.program);
  const works = await findWorks(hub.client, names, clusters);
  const missing = names.filter((name) => !works.some(({ metadata }) => metadata?.name === name));
  const apiVersion = `${manifestWorks.group}/${manifestWorks.version}`;
  const objects = works.map((work) => ({ apiVersion, kind: manifestWorks.kind, ...work }));
  switch (options.output) {
    case 'json':
      context.out.write(formatValue({ apiVersion: 'v1', kind: 'List', items: objects }, 'json'));
      break;
    case 'yaml':
      context.out.write(formatManifests(objects));
      break;
    case 'name':
      context.out.write(works.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}\n`).join(''));
      break;
    case 'tree':
      context.out.write(workTree(works));
      break;
    default:
      if (works.length > 0) context.out.write(workTable(works, options.output === 'wide', context.clock.now()));
      else if (missing.length === 0) context.err.write(noResources);
  }
  if (missing.length === 0) return;
  const where = clusters.length > 0 ? `in cluster ${clusters.join(', ')}` : 'on any cluster';
  throw new CliError(
    'failed',
    `there is no work ${missing.join(', ')} ${where}`,
    `See all: \`${context.program} get works\`.`,
  );
}
