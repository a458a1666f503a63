import { managedClusters } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { CliError } from '../errors/cli-error.ts';

/** The flags of clusteradm that name clusters. */
export interface ClustersOptions {
  readonly cluster?: readonly string[];
  readonly clusters?: readonly string[];
}

/** The named clusters, each once. */
export const chosenClusters = ({ cluster = [], clusters = [] }: ClustersOptions): string[] => [
  ...new Set([...cluster, ...clusters]),
];

/** Refuses clusters that the hub does not have, before anything is done to one of them. */
export async function requireClusters(client: KubeClient, names: readonly string[], program: string): Promise<void> {
  const handle = client.resource(managedClusters);
  const found = await Promise.all(names.map((name) => handle.find(name)));
  const missing = names.filter((_, index) => !found[index]);
  if (missing.length === 0) return;
  throw new CliError(
    'precondition',
    `there is no ManagedCluster ${missing.join(', ')}`,
    `See those that are there: \`${program} get clusters\`.`,
  );
}
