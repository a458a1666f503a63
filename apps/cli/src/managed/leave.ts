import { type Klusterlet, klusterlets } from '@flotilla/api-types';
import { type KubeClient, KubeError, namespaces } from '@flotilla/kube';
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
    const own = name === undefined ? undefined : await client.resource(namespaces).find(name);
    if (own) await removeObject(removal, client.resource(namespaces), { ...own, kind: namespaces.kind });
  }
  await removeObjects(removal, [agentNamespaces(), await managedClusterDefinitions()]);
}
