import type { ManifestConfigOption, ManifestResourceMeta } from '@flotilla/api-types';
import { matchesWildcard } from '@flotilla/rules';

/** The manifest whose config is resolved. */
export type ConfiguredResource = Pick<ManifestResourceMeta, 'group' | 'resource' | 'namespace' | 'name'>;

interface Entry {
  readonly position: number;
  readonly config: ManifestConfigOption;
}

/** The configs of a work by what they name. A work may have thousands of manifests, and a config for each. */
export class ConfigIndex {
  readonly #named: Map<string, Entry[]>;
  /** Those with a wildcard, which must all be compared, by their resource. */
  readonly #patterns: Map<string, Entry[]>;

  constructor(configs: readonly ManifestConfigOption[]) {
    const entries = configs.map((config, position) => ({ position, config }));
    const isPattern = ({ config: { resourceIdentifier: each } }: Entry) =>
      `${each.namespace ?? ''}${each.name}`.includes('*');
    this.#named = Map.groupBy(
      entries.filter((entry) => !isPattern(entry)),
      ({ config }) => objectKey(config.resourceIdentifier),
    );
    this.#patterns = Map.groupBy(entries.filter(isPattern), ({ config }) => resourceKey(config.resourceIdentifier));
  }

  /** How many patterns a lookup compares. */
  patternsFor(meta: ConfiguredResource): number {
    return this.#patterns.get(resourceKey(meta))?.length ?? 0;
  }

  /** The configs of a manifest in the order of the work. Only namespaces and names know wildcards. */
  matching(meta: ConfiguredResource): ManifestConfigOption[] {
    const patterns = this.#patterns.get(resourceKey(meta)) ?? [];
    const fitting = patterns.filter(
      ({ config: { resourceIdentifier } }) =>
        matchesWildcard(resourceIdentifier.namespace ?? '', meta.namespace ?? '') &&
        matchesWildcard(resourceIdentifier.name, meta.name ?? ''),
    );
    const found = [...(this.#named.get(objectKey(meta)) ?? []), ...fitting];
    return found.sort((a, b) => a.position - b.position).map(({ config }) => config);
  }
}

const resourceKey = ({ group, resource }: ConfiguredResource): string => JSON.stringify([group ?? '', resource ?? '']);
const objectKey = ({ group, resource, namespace, name }: ConfiguredResource): string =>
  JSON.stringify([group ?? '', resource ?? '', namespace ?? '', name ?? '']);
