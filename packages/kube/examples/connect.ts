import { createKubeClient, defaultAccess, namespaces, realClock } from '@flotilla/kube';

/** The namespaces of the cluster that kubectl would talk to. */
export async function listNamespaces(env: Readonly<Record<string, string | undefined>>): Promise<string[]> {
  const access = defaultAccess({ clock: realClock, env });
  const client = createKubeClient({ access, env, fieldManager: 'my-controller' });
  try {
    const { items } = await client.resource(namespaces).list();
    return items.map(({ metadata }) => metadata?.name ?? '');
  } finally {
    await client.close();
    access.close();
  }
}
