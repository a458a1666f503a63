import { AppLabelValue, Label } from '@flotilla/api-types';
import { type CachedResource, KubeError } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';

/** A Secret or a ConfigMap. */
export interface DataObject extends KubeObject {
  data?: Record<string, string>;
  type?: string;
}

/** By which a copy is told from an object of the same name that somebody else made. */
const mark = { [Label.App]: AppLabelValue.Klusterlet };

const isCopy = ({ metadata }: KubeObject): boolean => metadata?.labels?.[Label.App] === AppLabelValue.Klusterlet;

/**
 * Keeps a copy of an object in a namespace. Without a source the copy goes; an object that is not a copy stays then, because a user may
 * have made it.
 */
export async function keepCopy(
  cache: Pick<CachedResource<DataObject>, 'get' | 'create' | 'patch' | 'delete'>,
  source: DataObject | undefined,
  target: { readonly namespace: string; readonly name: string },
): Promise<void> {
  const key = `${target.namespace}/${target.name}`;
  const found = cache.get(key);
  if (source?.metadata?.namespace === target.namespace) return;
  if (!source) {
    if (found && isCopy(found)) await cache.delete(key);
    return;
  }
  const { apiVersion, kind, data = {}, type } = source;
  if (found && semanticEqual(found.data ?? {}, data)) return;
  const metadata = { name: target.name, namespace: target.namespace, labels: mark };
  try {
    const copy = { apiVersion, kind, metadata, data, ...(type !== undefined && { type }) };
    if (!found) return void (await cache.create(copy));
  } catch (error) {
    // One that the cache has not seen yet; its event comes.
    if (!KubeError.is(error, 'AlreadyExists')) throw error;
    return;
  }
  await cache.patch(key, { type: 'merge', body: { metadata: { labels: mark }, data } });
}
