import { type ManagedClusterSet, managedClusterSetBindings, managedClusterSets } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { formatObjects, isMachineFormat } from '../output/format.ts';
import { formatTable, noResources } from '../output/table.ts';

/** The flags of `get clustersets`. */
export interface GetClusterSetsOptions {
  readonly output: string;
}

/** Those of clusteradm. */
const headers = ['NAME', 'BOUND NAMESPACES', 'STATUS', 'MANAGED NAMESPACES'];

const rowOf = ({ metadata, spec, status }: ManagedClusterSet, bound: readonly string[]): string[] => [
  metadata?.name ?? '',
  bound.join(','),
  findCondition(status?.conditions, 'ClusterSetEmpty')?.message ?? '',
  (spec?.managedNamespaces ?? []).map(({ name }) => name).join(','),
];

/** Prints the cluster sets of a hub: those that are named, or all. */
export async function getClusterSets(
  context: CliContext,
  names: readonly string[],
  options: GetClusterSetsOptions & GlobalOptions,
): Promise<void> {
  const { output } = options;
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  const all = (await hub.client.resource(managedClusterSets).list()).items;
  const items = names.length === 0 ? all : all.filter(({ metadata }) => names.includes(metadata?.name ?? ''));
  const bindings = (await hub.client.resource(managedClusterSetBindings).list()).items;
  const boundTo = (set: string) =>
    bindings
      .filter(({ spec }) => spec?.clusterSet === set)
      .map(({ metadata }) => metadata?.namespace ?? '')
      .sort();
  if (isMachineFormat(output)) context.out.write(formatObjects(managedClusterSets, items, output));
  else if (output === 'name') context.out.write(items.map(({ metadata }) => `${metadata?.name}\n`).join(''));
  else if (items.length === 0 && names.length === 0) context.err.write(noResources);
  else if (items.length > 0) {
    const rows = items.map((set) => rowOf(set, boundTo(set.metadata?.name ?? '')));
    context.out.write(
      formatTable(
        headers,
        rows.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
      ),
    );
  }
  const missing = names.filter((name) => !all.some(({ metadata }) => metadata?.name === name));
  if (missing.length === 0) return;
  throw new CliError(
    'failed',
    `there is no cluster set ${missing.join(', ')}`,
    `See all: \`${context.program} get clustersets\`.`,
  );
}
