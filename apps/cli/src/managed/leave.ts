import { type Klusterlet, klusterlets, SecretName } from '@flotilla/api-types';
import { type KubeClient, KubeError, namespaces, secrets } from '@flotilla/kube';
import { isMadeByCli } from '../ownership.ts';
import { type Removal, removeObject, removeObjects } from '../remove.ts';
import { agentNamespaces, managedClusterDefinitions } from './agent-objects.ts';

/** The Klusterlets of a cluster; none if it has no such kind. */
export async function listKlusterlets(client: KubeClient): Promise<Klusterlet[]> {
  try {
    return (await client.resource(klusterlets).list()).items;
  } catch (error) {
    if (KubeError.is(error, 'NotFound', 'UnknownKind')) return [];
    throw error;
  }
}

/**
 * Takes away what `join` made: the Klusterlet first, so that its agent stops before its credentials go. Without a Klusterlet it
 * takes away what an earlier, interrupted try left.
 */
export async function leaveHub(removal: Removal, klusterlet: Klusterlet | undefined): Promise<void> {
  const { client } = removal;
  if (klusterlet) {
    await removeObject(removal, client.resource(klusterlets), { ...klusterlet, kind: klusterlets.kind });
    const name = klusterlet.spec?.namespace;
    const found = name === undefined ? undefined : await client.resource(namespaces).find(name);
    if (name !== undefined && found && !isMadeByCli(found)) await removeCredentials(removal, name);
  }
  await removeObjects(removal, [agentNamespaces(), await managedClusterDefinitions()]);
}

/** A namespace that somebody else made may hold more than an agent; without its credentials nothing of the membership is left. */
async function removeCredentials(removal: Removal, namespace: string): Promise<void> {
  const handle = removal.client.resource(secrets);
  for (const name of [SecretName.BootstrapHubKubeconfig, SecretName.HubKubeconfig]) {
    const found = await handle.find(`${namespace}/${name}`);
    if (found) await removeObject(removal, handle, { ...found, kind: secrets.kind });
  }
}
