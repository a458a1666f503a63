import { type ManagedClusterSet, managedClusterSets } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { CliError } from '../errors/cli-error.ts';

/** The one name that a command takes, in the words of clusteradm. */
export function oneName(names: readonly string[], what: string, program: string): string {
  const [name, ...others] = names;
  const example = `For example: \`${program} ${what} NAME\`.`;
  if (name === undefined) throw new CliError('usage', 'the name of the clusterset must be specified', example);
  if (others.length > 0) throw new CliError('usage', 'only one clusterset can be specified', example);
  return name;
}

/** A cluster set that must be there. */
export async function requireSet(client: KubeClient, name: string, program: string): Promise<ManagedClusterSet> {
  const found = await client.resource(managedClusterSets).find(name);
  if (found) return found;
  throw new CliError(
    'precondition',
    `there is no cluster set ${name}`,
    `See all: \`${program} get clustersets\`. Create it: \`${program} create clusterset ${name}\`.`,
  );
}

/** A namespace that must be there. */
export async function requireNamespace(client: KubeClient, name: string): Promise<void> {
  if (await client.resource(namespaces).find(name)) return;
  throw new CliError(
    'precondition',
    `there is no namespace ${name}`,
    `Create it first: \`kubectl create namespace ${name}\`.`,
  );
}
