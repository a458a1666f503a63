import type { Registry, ResourceInfo } from '../../contracts/resource-info.ts';
import { compareVersions } from '../../schema/custom.ts';

/** A group as clients discover it. */
export interface ApiGroup {
  /** Empty for the core group. */
  readonly name: string;
  /** The preferred one first. */
  readonly versions: readonly ApiVersion[];
}

export interface ApiVersion {
  readonly version: string;
  /** `v1` or `group/v1`. */
  readonly groupVersion: string;
  readonly resources: readonly ResourceInfo[];
}

/** kubectl takes the first group that has a short name, so the order is the one of the real server. */
const builtInOrder = [
  '',
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
  'flowcontrol.apiserver.k8s.io',
];

const rankOf = (group: string): number => {
  const at = builtInOrder.indexOf(group);
  return at < 0 ? builtInOrder.length : at;
};

/** All groups with their versions and resources: built-in ones in the order of the real server, custom ones by name. */
export function apiGroups(registry: Registry): ApiGroup[] {
  const groups = new Map<string, Map<string, ResourceInfo[]>>();
  for (const info of registry.all()) {
    if (info.verbs.length === 0) continue; // Only the body of a subresource.
    const versions = getOrAdd(groups, info.group, () => new Map<string, ResourceInfo[]>());
    getOrAdd(versions, info.version, () => []).push(info);
  }
  return [...groups]
    .sort(([left], [right]) => rankOf(left) - rankOf(right) || (left < right ? -1 : 1))
    .map(([name, versions]) => ({ name, versions: versionsOf(name, versions) }));
}

const versionsOf = (group: string, versions: ReadonlyMap<string, readonly ResourceInfo[]>): ApiVersion[] =>
  [...versions]
    .sort(([left], [right]) => compareVersions(left, right))
    .map(([version, resources]) => ({
      version,
      groupVersion: group === '' ? version : `${group}/${version}`,
      resources,
    }));

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const present = map.get(key);
  if (present !== undefined) return present;
  const made = make();
  map.set(key, made);
  return made;
}
