import { KubeError } from '../errors/kube-error.ts';
import type { KubeClient } from '../resources/kube-client.ts';

interface ResourceList {
  readonly resources: readonly { name: string; kind: string; verbs: readonly string[] }[];
}

interface ObjectList {
  readonly items: readonly { metadata: { name: string; namespace?: string } }[];
}

/** What comes and goes by itself. */
const volatile = /^(Event|Lease) |^ConfigMap .*\/kube-root-ca.crt$|^ServiceAccount .*\/default$/;

/** Every object of an API server as `Kind namespace/name`, of every kind that can be listed: for comparing before and after. */
export async function listAllObjects(client: KubeClient): Promise<string[]> {
  /** Discovery lists kinds for a moment after they are deleted. */
  const get = async <T>(path: string, gone: T): Promise<T> => {
    try {
      return JSON.parse((await client.transport.request({ method: 'GET', path })).body);
    } catch (error) {
      if (KubeError.is(error, 'NotFound')) return gone;
      throw error;
    }
  };
  const { groups } = await get<{ groups: readonly { preferredVersion: { groupVersion: string } }[] }>('/apis', {
    groups: [],
  });
  const paths = ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
  const found = await Promise.all(
    paths.map(async (path) => {
      const { resources } = await get<ResourceList>(path, { resources: [] });
      const listed = resources.filter(({ name, verbs }) => verbs.includes('list') && !name.includes('/'));
      const objects = await Promise.all(
        listed.map(async ({ name, kind }) => {
          const { items } = await get<ObjectList>(`${path}/${name}`, { items: [] });
          return items.map(
            ({ metadata }) => `${kind} ${[metadata.namespace, metadata.name].filter(Boolean).join('/')}`,
          );
        }),
      );
      return objects.flat();
    }),
  );
  return [...new Set(found.flat())].filter((line) => !volatile.test(line)).sort();
}
