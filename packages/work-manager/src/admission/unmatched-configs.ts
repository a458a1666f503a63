import type { ManifestConfigOption, ManifestWork } from '@flotilla/api-types';
import { isRecord } from '@flotilla/schema';

/** `*` stands for any characters, all others for themselves. */
function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Whether settings can be for a manifest: its group, namespace and name match. */
export function mayMean({ resourceIdentifier }: ManifestConfigOption, manifest: unknown): boolean {
  const { apiVersion, kind, metadata } = isRecord(manifest) ? manifest : {};
  const { namespace, name } = isRecord(metadata) ? metadata : {};
  const group = textOf(apiVersion).split('/').slice(0, -1).join('/');
  const { resource } = resourceIdentifier;
  return (
    (resourceIdentifier.group ?? '') === group &&
    matches(resourceIdentifier.name, textOf(name)) &&
    matches(resourceIdentifier.namespace ?? '', textOf(namespace)) &&
    // The plural is the cluster's business, but a plural is never the kind itself.
    resource !== textOf(kind) &&
    resource !== textOf(kind).toLowerCase()
  );
}

/** Warns of manifestConfigs that can mean none of the manifests: they are without effect, and OCM says nothing. */
export function unmatchedConfigs({ spec }: ManifestWork): string[] {
  const manifests: readonly unknown[] = spec?.workload?.manifests ?? [];
  return (spec?.manifestConfigs ?? []).flatMap((config, index) => {
    if (manifests.some((manifest) => mayMean(config, manifest))) return [];
    const { group, resource, namespace, name } = config.resourceIdentifier;
    const what = `${resource}${group ? `.${group}` : ''} ${namespace ? `${namespace}/` : ''}${name}`;
    return [
      `spec.manifestConfigs[${index}]: ${what} is none of the manifests, so it has no effect; ` +
        'group, plural resource, namespace and name must be those of a manifest',
    ];
  });
}
