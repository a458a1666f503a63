import { Label, managedClusterSets, managedClusters } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { oneName, requireSet } from '../clusterset/find-set.ts';
import type { ChangeOptions, CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { startChangeReport } from '../output/change-report.ts';
import { type TypedObject, withKind } from '../output/kubectl-name.ts';
import { requireClusters } from '../work/choose-clusters.ts';

/** The flags of `clusterset set`. */
export interface ClusterSetSetOptions extends ChangeOptions {
  readonly clusters?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly output: string;
}

/** Puts clusters in a set, and adds namespaces that the set manages. All clusters are checked before the first is changed. */
export async function setClusterSet(
  context: CliContext,
  names: readonly string[],
  options: ClusterSetSetOptions & GlobalOptions,
): Promise<void> {
  const name = oneName(names, 'clusterset set', context.program);
  const { clusters = [], namespaces = [], dryRun = false } = options;
  if (clusters.length === 0 && namespaces.length === 0) {
    throw new CliError(
      'usage',
      'at least one cluster (--clusters) or namespace (--namespaces) must be specified',
      `For example: \`${context.program} clusterset set ${name} --clusters cluster1\`.`,
    );
  }
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  const set = await requireSet(hub.client, name, context.program);
  const type = set.spec?.clusterSelector?.selectorType ?? 'ExclusiveClusterSetLabel';
  if (clusters.length > 0 && type !== 'ExclusiveClusterSetLabel') {
    throw new CliError(
      'precondition',
      `cluster set ${name} selects its clusters by their labels (${type}), so that none can be put in it`,
      'Label the clusters as its selector says, or take another set.',
    );
  }
  await requireClusters(hub.client, clusters, context.program);
  const report = startChangeReport(context, options);
  for (const cluster of clusters) report.add(...(await moveCluster(hub.client, cluster, name, dryRun)));
  if (namespaces.length === 0) return report.end();
  const known = (set.spec?.managedNamespaces ?? []).map((each) => each.name);
  const added = namespaces.filter((namespace) => !known.includes(namespace));
  let changed = set;
  if (added.length > 0) {
    const managedNamespaces = [...known, ...added].map((each) => ({ name: each }));
    const { uid, resourceVersion } = set.metadata ?? {};
    const body = { metadata: { uid, resourceVersion }, spec: { managedNamespaces } };
    changed = await hub.client.resource(managedClusterSets).patch(name, { type: 'merge', body }, { dryRun });
  }
  const lines = namespaces.map((namespace) => {
    const words = added.includes(namespace) ? 'is set as' : 'is already';
    return `Namespace ${namespace} ${words} a managed namespace of Clusterset ${name}`;
  });
  report.add(withKind(managedClusterSets, changed), lines.join('\n'));
  report.end();
}

async function moveCluster(
  client: KubeClient,
  cluster: string,
  set: string,
  dryRun: boolean,
): Promise<[cluster: TypedObject, line: string]> {
  const handle = client.resource(managedClusters);
  const found = await handle.get(cluster);
  const before = found.metadata?.labels?.[Label.ClusterSet];
  if (before === set) return [withKind(managedClusters, found), `Cluster ${cluster} is already in Clusterset ${set}`];
  const body = { metadata: { labels: { [Label.ClusterSet]: set } } };
  const moved = await handle.patch(cluster, { type: 'merge', body }, { dryRun });
  const line = before
    ? `Cluster ${cluster} is set, from ClusterSet ${before} to Clusterset ${set}`
    : `Cluster ${cluster} is set to Clusterset ${set}`;
  return [withKind(managedClusters, moved), line];
}
