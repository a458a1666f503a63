import type { ManifestConfigOption, ManifestResourceMeta } from '@flotilla/api-types';
import { compileWildcard, type Wildcard } from '@flotilla/rules';

/** The manifest whose config is resolved. */
export type ConfiguredResource = Pick<ManifestResourceMeta, 'group' | 'resource' | 'namespace' | 'name'>;

interface Entry {
  readonly position: number;
  readonly config: ManifestConfigOption;
}

/** An entry with a wildcard, which is read once for all manifests. */
interface PatternEntry extends Entry {
  readonly isNamespace: Wildcard;
  readonly isName: Wildcard;
}

/** What it takes to compare the configs of a resource. */
export interface Comparisons {
  readonly patterns: number;
  readonly letters: number;
}

/** The configs of a work by what they name. A work may have thousands of manifests, and a config for each. */
export class ConfigIndex {
  readonly #named: Map<string, Entry[]>;
  /** Those with a wildcard, which must all be compared, by their resource. */
  readonly #patterns: Map<string, PatternEntry[]>;
  readonly #comparisons = new Map<string, Comparisons>();

  constructor(configs: readonly ManifestConfigOption[]) {
    const entries = configs.map((config, position) => ({ position, config }));
    const isPattern = ({ config: { resourceIdentifier: each } }: Entry) =>
      `${each.namespace ?? ''}${each.name}`.includes('*');
    this.#named = Map.groupBy(
      entries.filter((entry) => !isPattern(entry)),
      ({ config }) => objectKey(config.resourceIdentifier),
    );
    this.#patterns = Map.groupBy(entries.filter(isPattern).map(patternEntry), ({ config }) =>
      resourceKey(config.resourceIdentifier),
    );
    for (const [key, patterns] of this.#patterns) {
      const letters = patterns.reduce((sum, { config }) => sum + lettersOf(config), 0);
      this.#comparisons.set(key, { patterns: patterns.length, letters });
    }
  }

  /** What a lookup compares. */
  comparisonsFor(meta: ConfiguredResource): Comparisons {
    return this.#comparisons.get(resourceKey(meta)) ?? noComparisons;
  }

  /** The configs of a manifest in the order of the work. Only namespaces and names know wildcards. */
  matching(meta: ConfiguredResource): ManifestConfigOption[] {
    const patterns = this.#patterns.get(resourceKey(meta)) ?? [];
    const fitting = patterns.filter(
      ({ isNamespace, isName }) => isNamespace(meta.namespace ?? '') && isName(meta.name ?? ''),
    );
    const found = [...(this.#named.get(objectKey(meta)) ?? []), ...fitting];
    return found.sort((a, b) => a.position - b.position).map(({ config }) => config);
  }
}

const noComparisons: Comparisons = { patterns: 0, letters: 0 };

const patternEntry = (entry: Entry): PatternEntry => ({
  ...entry,
  isNamespace: compileWildcard(entry.config.resourceIdentifier.namespace ?? ''),
  isName: compileWildcard(entry.config.resourceIdentifier.name),
});

const lettersOf = ({ resourceIdentifier: { namespace = '', name } }: ManifestConfigOption): number =>
  namespace.length + name.length;

const resourceKey = ({ group, resource }: ConfiguredResource): string => JSON.stringify([group ?? '', resource ?? '']);
const objectKey = ({ group, resource, namespace, name }: ConfiguredResource): string =>
  JSON.stringify([group ?? '', resource ?? '', namespace ?? '', name ?? '']);
