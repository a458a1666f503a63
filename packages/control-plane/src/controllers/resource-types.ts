import type { Registry, ResourceInfo } from '../contracts/resource-info.ts';
import type { StorageResource } from '../contracts/storage.ts';

/** One served version of each stored resource, by its storage. */
export function createResourceTypes(
  registry: Pick<Registry, 'all' | 'generation'>,
): () => ReadonlyMap<StorageResource, ResourceInfo> {
  let known = new Map<StorageResource, ResourceInfo>();
  let generation: number | undefined;
  return () => {
    if (generation === registry.generation) return known;
    generation = registry.generation;
    known = new Map();
    for (const info of registry.all()) {
      if (info.verbs.includes('delete') && !known.has(info.storage)) known.set(info.storage, info);
    }
    return known;
  };
}
