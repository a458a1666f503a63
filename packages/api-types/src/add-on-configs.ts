import type { AddOnConfig } from './kinds/types.ts';
import { addOnTemplates } from './resources.ts';

/** A kind of configuration. Its version is never part of it. */
export interface ConfigKind {
  readonly group?: string;
  readonly resource: string;
}

/** One text for one kind of configuration. */
export const kindKeyOf = ({ group = '', resource }: ConfigKind): string => `${group}/${resource}`;

/** Kinds without namespaces that every hub has. Those of add-ons are not known to the hub, which does not read them. */
const clusterScoped: ReadonlySet<string> = new Set([
  kindKeyOf({ group: addOnTemplates.group, resource: addOnTemplates.plural }),
]);

/**
 * The configuration that is meant: guides name AddOnTemplates with a namespace, which these do not have, and an object of such a name
 * is never found.
 */
export function scopedConfig<T extends AddOnConfig>(config: T): T {
  if (config.namespace === undefined || !clusterScoped.has(kindKeyOf(config))) return config;
  const { namespace: _, ...rest } = config;
  return rest as T;
}

/** A kind that a layer names is taken from that layer alone; kinds that it does not name are inherited. */
export function overrideConfigs<T extends ConfigKind>(inherited: readonly T[], layer: readonly T[]): readonly T[] {
  const kinds = new Set(layer.map(kindKeyOf));
  return [...inherited.filter((config) => !kinds.has(kindKeyOf(config))), ...layer];
}
