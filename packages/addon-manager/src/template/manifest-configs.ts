import { Annotation, type ManifestConfigOption } from '@flotilla/api-types';
import type { EmbeddedResource } from '@flotilla/schema';
import { isRecord } from '@flotilla/schema';
import { nameOf, namespaceOf } from './manifest.ts';
import { workloadResource } from './workload.ts';

const groups: Readonly<Record<string, string>> = { jobs: 'batch', pods: '' };

/**
 * The update strategies and feedback rules of a template. Those that name a namespace follow the manifests into the install namespace.
 * Jobs and Pods cannot be changed once they run: unless the template says otherwise they are created and left alone, so that a change of
 * the configuration, which they get as other workloads do, is not an error.
 */
export function manifestConfigsOf(
  declared: readonly ManifestConfigOption[],
  manifests: readonly EmbeddedResource[],
  installNamespace: string,
): ManifestConfigOption[] {
  const configs = declared.map((config) => {
    const { resourceIdentifier } = config;
    return installNamespace && resourceIdentifier.namespace
      ? { ...config, resourceIdentifier: { ...resourceIdentifier, namespace: installNamespace } }
      : config;
  });
  const runOnce = manifests
    .filter((manifest) => workloadResource(manifest) !== undefined && !isHook(manifest))
    .flatMap((manifest): ManifestConfigOption[] => {
      const resource = workloadResource(manifest) ?? '';
      const group = groups[resource];
      if (group === undefined) return [];
      const resourceIdentifier = { group, resource, namespace: namespaceOf(manifest), name: nameOf(manifest) };
      return [{ resourceIdentifier, updateStrategy: { type: 'CreateOnly' } }];
    });
  return [...configs, ...runOnce.filter((config) => !configs.some((other) => isSame(config, other)))];
}

const isSame = (
  { resourceIdentifier: a }: ManifestConfigOption,
  { resourceIdentifier: b }: ManifestConfigOption,
): boolean =>
  a.group === b.group && a.resource === b.resource && a.name === b.name && (a.namespace ?? '') === (b.namespace ?? '');

const isHook = ({ metadata }: EmbeddedResource): boolean =>
  [metadata?.annotations, metadata?.labels].some((marks) => isRecord(marks) && Annotation.AddOnPreDelete in marks);
