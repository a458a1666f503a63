import { type Klusterlet, klusterlets, SecretName } from '@flotilla/api-types';
import { listAppliedWorks, listKlusterlets, type Removal, removeObject, removeObjects } from '@flotilla/install';
import { type KubeClient, KubeError } from '@flotilla/kube';
import { namespaces, secrets } from '@flotilla/kube/kinds';
import type { CliContext, Connection } from '../context.ts';
import { worksAreApplied } from './applied-works.ts';
import { operatorDefinitions, removeDefinitions } from './remove-operator.ts';
import { connectBySecret } from './secret-connection.ts';

/** Whether the agent of a Klusterlet runs on another cluster than the one that it manages. */
export const isHostedKlusterlet = ({ spec }: Klusterlet): boolean =>
  spec?.deployOption?.mode?.endsWith('Hosted') === true;

/** Removes an agent from the cluster that hosts it. The operator cleans up the managed cluster, by its kubeconfig. */
export async function removeHosted(context: CliContext, removal: Removal, klusterlet: Klusterlet): Promise<void> {
  const { client, force, dryRun } = removal;
  const { name = '', uid } = klusterlet.metadata ?? {};
  await using managed = dryRun ? undefined : await reachable(() => managedCluster(context, client, name));
  const found = managed && (await reachable(() => observe(managed.client, uid)));
  if (found && found.works.length > 0 && !force) throw worksAreApplied(found.works);
  await removeObject(removal, client.resource(klusterlets), { ...klusterlet, kind: klusterlets.kind });
  await removeObjects(removal, [[{ apiVersion: 'v1', kind: namespaces.kind, metadata: { name } }]]);
  if (!managed || !found) return;
  // Read before the operator went: it leaves them to whoever comes next.
  const reporter = {
    ...removal.reporter,
    removed: (what: string) => removal.reporter.removed(`${what} of the managed cluster`),
  };
  await reachable(() => removeDefinitions({ ...removal, client: managed.client, reporter }, found.definitions));
}

/** The cluster that a hosted agent manages, by the kubeconfig that it has; undefined if it has none. */
async function managedCluster(context: CliContext, client: KubeClient, name: string): Promise<Connection | undefined> {
  const key = `${name}/${SecretName.ExternalManagedKubeconfig}`;
  const found = await client.resource(secrets).find(key);
  return found?.data?.kubeconfig === undefined ? undefined : connectBySecret(context, found, 'kubeconfig');
}

/** The works of this agent, by the identity that its records carry, and the definitions that nothing else on that cluster needs. */
async function observe(client: KubeClient, agentId: string | undefined) {
  const works = await listAppliedWorks(client, ({ spec }) => spec?.agentID === agentId);
  const isShared = (await listKlusterlets(client)).length > 0;
  return { works, definitions: isShared ? [] : await operatorDefinitions(client) };
}

/** A cluster that cannot be reached is given up: the operator does so too, after a while. */
async function reachable<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (KubeError.is(error, 'Unavailable', 'Timeout', 'Config')) return undefined;
    throw error;
  }
}
