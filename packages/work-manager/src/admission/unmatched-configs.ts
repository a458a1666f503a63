import type { ManifestConfigOption, ManifestWork } from '@flotilla/api-types';
import { compileWildcard } from '@flotilla/rules';
import { isRecord } from '@flotilla/schema';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What configs compare of a manifest. */
interface ConfigurableManifest {
  readonly group: string;
  /** The plural is the cluster's business, but a plural is never the kind itself. */
  readonly notResources: readonly string[];
  readonly namespace: string;
  readonly name: string;
}

/** Reads a manifest once, for all configs. */
function configurableManifest(manifest: unknown): ConfigurableManifest {
  const { apiVersion, kind, metadata } = isRecord(manifest) ? manifest : {};
  const { namespace, name } = isRecord(metadata) ? metadata : {};
  const version = textOf(apiVersion);
  return {
    group: version.slice(0, Math.max(0, version.lastIndexOf('/'))),
    notResources: [textOf(kind), textOf(kind).toLowerCase()],
    namespace: textOf(namespace),
    name: textOf(name),
  };
}

/** Reads a config once, for all manifests. Tells whether its settings can be for one: its group, namespace and name match. */
function configMatcher({ resourceIdentifier }: ManifestConfigOption): (manifest: ConfigurableManifest) => boolean {
  const { group = '', resource, namespace, name } = resourceIdentifier;
  const isName = compileWildcard(name);
  const isNamespace = compileWildcard(namespace ?? '');
  return (manifest) =>
    group === manifest.group &&
    isName(manifest.name) &&
    isNamespace(manifest.namespace) &&
    !manifest.notResources.includes(resource);
}

/** Comparisons of a config with a manifest. Of a work that has more, nothing is said that follows from comparing. */
const maxComparisons = 100_000;

/** Letters that are compared for all of them: some 40 ms if all match. */
const maxLetters = 2_000_000;

/** Letters of texts without a wildcard that take as long as one that is searched for. */
const lettersPerSearched = 50;

/** Letters that comparing a config with one manifest takes. */
function lettersOf({
  resourceIdentifier: { group = '', resource, namespace = '', name },
}: ManifestConfigOption): number {
  const patterns = [name, namespace].filter((each) => each.includes('*'));
  const searched = patterns.reduce((sum, { length }) => sum + length, 0);
  return searched + (group.length + resource.length + namespace.length + name.length) / lettersPerSearched;
}

/** The configs that can be for each of the manifests, in their order. Undefined if comparing them would take long. */
export function configsByManifest(
  configs: readonly ManifestConfigOption[] = [],
  manifests: readonly unknown[] = [],
): readonly (readonly ManifestConfigOption[])[] | undefined {
  if (configs.length * manifests.length > maxComparisons) return undefined;
  const letters = configs.reduce((sum, config) => sum + lettersOf(config), 0);
  if (letters * manifests.length > maxLetters) return undefined;
  const matchers = configs.map((config) => ({ config, matches: configMatcher(config) }));
  return manifests.map((manifest) => {
    const read = configurableManifest(manifest);
    return matchers.filter(({ matches }) => matches(read)).map(({ config }) => config);
  });
}

/** Warns of manifestConfigs that can mean none of the manifests: they are without effect, and OCM says nothing. */
export function unmatchedConfigs({ spec }: ManifestWork): string[] {
  const { manifestConfigs = [], workload } = spec ?? {};
  const byManifest = configsByManifest(manifestConfigs, workload?.manifests);
  if (!byManifest) return [];
  const matching = new Set(byManifest.flat());
  return manifestConfigs.flatMap((config, index) => {
    if (matching.has(config)) return [];
    const { group, resource, namespace, name } = config.resourceIdentifier;
    const what = `${resource}${group ? `.${group}` : ''} ${namespace ? `${namespace}/` : ''}${name}`;
    return [
      `spec.manifestConfigs[${index}]: ${what} is none of the manifests, so it has no effect; ` +
        'group, plural resource, namespace and name must be those of a manifest',
    ];
  });
}
