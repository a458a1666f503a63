import type { ManifestConfigOption, ManifestWork } from '@flotilla/api-types';
import { matchesWildcard } from '@flotilla/rules';
import { isRecord } from '@flotilla/schema';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Whether settings can be for a manifest: its group, namespace and name match. */
export function mayMean({ resourceIdentifier }: ManifestConfigOption, manifest: unknown): boolean {
  const { apiVersion, kind, metadata } = isRecord(manifest) ? manifest : {};
  const { namespace, name } = isRecord(metadata) ? metadata : {};
  const group = textOf(apiVersion).split('/').slice(0, -1).join('/');
  const { resource } = resourceIdentifier;
  return (
    (resourceIdentifier.group ?? '') === group &&
    matchesWildcard(resourceIdentifier.name, textOf(name)) &&
    matchesWildcard(resourceIdentifier.namespace ?? '', textOf(namespace)) &&
    // The plural is the cluster's business, but a plural is never the kind itself.
    resource !== textOf(kind) &&
    resource !== textOf(kind).toLowerCase()
  );
}

/** Comparisons of a config with a manifest. Of a work that has more, nothing is said that follows from comparing. */
const maxComparisons = 100_000;

/** The configs to compare with manifests; none if that would take long. */
export const comparableConfigs = (
  configs: readonly ManifestConfigOption[] = [],
  manifests: readonly unknown[] = [],
): readonly ManifestConfigOption[] => (configs.length * manifests.length <= maxComparisons ? configs : []);

/** Warns of manifestConfigs that can mean none of the manifests: they are without effect, and OCM says nothing. */
export function unmatchedConfigs({ spec }: ManifestWork): string[] {
  const manifests: readonly unknown[] = spec?.workload?.manifests ?? [];
  return comparableConfigs(spec?.manifestConfigs, manifests).flatMap((config, index) => {
    if (manifests.some((manifest) => mayMean(config, manifest))) return [];
    const { group, resource, namespace, name } = config.resourceIdentifier;
    const what = `${resource}${group ? `.${group}` : ''} ${namespace ? `${namespace}/` : ''}${name}`;
    return [
      `spec.manifestConfigs[${index}]: ${what} is none of the manifests, so it has no effect; ` +
        'group, plural resource, namespace and name must be those of a manifest',
    ];
  });
}
