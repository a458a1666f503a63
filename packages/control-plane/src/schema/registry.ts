import type { Registry, ResourceInfo } from '../contracts/resource-info.ts';
import type { StorageResource } from '../contracts/storage.ts';

/** A registry that starts with the built-in resources. */
export function createRegistry(builtIn: readonly ResourceInfo[]): Registry {
  const custom = new Map<StorageResource, readonly ResourceInfo[]>();
  let all: readonly ResourceInfo[] = builtIn;
  // Made when it is needed: definitions come many at once.
  let index: Index | undefined;
  let generation = 1;
  const listeners = new Map<StorageResource, Set<() => void>>();
  const current = (): Index => {
    index ??= { byPlural: indexBy(all, 'plural'), byKind: indexBy(all, 'kind') };
    return index;
  };

  return {
    lookup: (group, version, plural) => current().byPlural.get(`${group}/${version}/${plural}`),
    forKind: (group, version, kind) => current().byKind.get(`${group}/${version}/${kind}`),
    all: () => all,
    setCustom(storage, versions) {
      if (versions.length === 0) custom.delete(storage);
      else custom.set(storage, versions);
      const added = [...custom.keys()].sort().flatMap((key) => custom.get(key) ?? []);
      all = [...builtIn, ...added];
      index = undefined;
      generation++;
    },
    retire(storage) {
      const retired = listeners.get(storage);
      listeners.delete(storage);
      for (const listener of retired ?? []) listener();
    },
    onRetired(storage, listener) {
      const waiting = listeners.get(storage) ?? new Set();
      listeners.set(storage, waiting.add(listener));
      return () => {
        waiting.delete(listener);
        if (waiting.size === 0 && listeners.get(storage) === waiting) listeners.delete(storage);
      };
    },
    get generation() {
      return generation;
    },
  };
}

interface Index {
  readonly byPlural: ReadonlyMap<string, ResourceInfo>;
  readonly byKind: ReadonlyMap<string, ResourceInfo>;
}

const indexBy = (all: readonly ResourceInfo[], field: 'plural' | 'kind'): Map<string, ResourceInfo> =>
  new Map(all.map((info) => [`${info.group}/${info.version}/${info[field]}`, info]));
