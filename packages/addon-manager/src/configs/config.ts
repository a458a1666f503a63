import {
  type AddOnConfig,
  type ConfigKind,
  type ConfigSpecHash,
  kindKeyOf,
  overrideConfigs,
  scopedConfig,
} from '@flotilla/api-types';

/** A configuration that an add-on should have, with the hash of its spec: empty until the manager of the add-on has made it. */
export interface DesiredConfig {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly specHash: string;
}

/** A reference to a configuration in a status. */
export interface ConfigReference extends ConfigKind {
  readonly desiredConfig?: ConfigSpecHash;
}

/** One text for one configuration, whatever its content. */
export const configKeyOf = (config: ConfigKind & { readonly namespace?: string; readonly name: string }): string =>
  `${kindKeyOf(config)}/${config.namespace ?? ''}/${config.name}`;

/** The order of kinds in every status: by group, then by resource. */
export const byKind = (a: ConfigKind, b: ConfigKind): number =>
  compare(a.group ?? '', b.group ?? '') || compare(a.resource, b.resource);

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** What a reference says that an add-on should have; undefined if it says nothing, as those of v1alpha1 clients may. */
export function desiredOf({ group = '', resource, desiredConfig }: ConfigReference): DesiredConfig | undefined {
  if (!desiredConfig) return undefined;
  const { namespace = '', name, specHash = '' } = desiredConfig;
  return { group, resource, namespace, name, specHash };
}

/** What references say that an add-on should have. */
export const desiredConfigsOf = (references: readonly ConfigReference[] = []): readonly DesiredConfig[] =>
  references.flatMap((reference) => desiredOf(reference) ?? []);

/** Configurations of a spec, each once; `hashOf` gives the hash of one that is known. */
export function namedConfigs(
  configs: readonly AddOnConfig[] = [],
  hashOf: (key: string) => string | undefined = () => undefined,
): readonly DesiredConfig[] {
  const named = new Map<string, DesiredConfig>();
  for (const { group = '', resource, namespace = '', name } of configs.map(scopedConfig)) {
    const key = configKeyOf({ group, resource, namespace, name });
    if (!named.has(key)) named.set(key, { group, resource, namespace, name, specHash: hashOf(key) ?? '' });
  }
  return [...named.values()];
}

/** The configuration as statuses have it. */
export const specHashOf = ({ namespace, name, specHash }: DesiredConfig): ConfigSpecHash => ({
  ...(namespace !== '' && { namespace }),
  name,
  specHash,
});

/** Whether two configurations of one kind are the same object with the same content. */
export const isSameConfig = (a: ConfigSpecHash | undefined, b: ConfigSpecHash | undefined): boolean =>
  a !== undefined &&
  b !== undefined &&
  a.name === b.name &&
  (a.namespace ?? '') === (b.namespace ?? '') &&
  (a.specHash ?? '') === (b.specHash ?? '');

/** The configurations of two layers, in the order that statuses have. */
export const mergedConfigs = (
  inherited: readonly DesiredConfig[],
  layer: readonly DesiredConfig[],
): readonly DesiredConfig[] => [...overrideConfigs(inherited, layer)].sort(byKind);
