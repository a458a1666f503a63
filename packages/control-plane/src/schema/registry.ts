import type { Registry, ResourceInfo } from '../contracts/resource-info.ts';
import type { StorageResource } from '../contracts/storage.ts';

/** A registry that starts with the built-in resources. */
export function createRegistry(builtIn: readonly ResourceInfo[]): Registry {
  const custom = new Map<StorageResource, readonly ResourceInfo[]>();
  let all: readonly ResourceInfo[] = builtIn;
  let byPlural = indexBy(all, 'plural');
  let byKind = indexBy(all, 'kind');
  let generation = 1;

  return {
    lookup: (group, version, plural) => byPlural.get(`${group}/${version}/${plural}`),
    forKind: (group, version, kind) => byKind.get(`${group}/${version}/${kind}`),
    all: () => all,
    setCustom(storage, versions) {
      if (versions.length === 0) custom.delete(storage);
      else custom.set(storage, versions);
      const added = [...custom.keys()].sort().flatMap((key) => custom.get(key) ?? []);
      all = [...builtIn, ...added];
      byPlural = indexBy(all, 'plural');
      byKind = indexBy(all, 'kind');
      generation++;
    },
    get generation() {
      return generation;
    },
  };
}

const indexBy = (all: readonly ResourceInfo[], field: 'plural' | 'kind'): Map<string, ResourceInfo> =>
  new Map(all.map((info) => [`${info.group}/${info.version}/${info[field]}`, info]));
