import { createKubeClient } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';

/** The namespaces of the cluster that kubectl would talk to. */
export async function listNamespaces(env = process.env): Promise<string[]> {
  await using client = createKubeClient({ env, fieldManager: 'my-controller' });
  const { items } = await client.resource(namespaces).list();
  return items.map(({ metadata }) => metadata?.name ?? '');
}
