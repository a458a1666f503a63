import type { ManifestCondition, ManifestResourceMeta } from '@flotilla/api-types';

/** What was reported about the manifests of a work, to be found again though their order changed. */
export class ReportedManifests {
  readonly #byResource = new Map<string, ManifestCondition[]>();

  constructor(manifests: readonly ManifestCondition[] | undefined) {
    for (const manifest of manifests ?? []) {
      const key = resourceKey(manifest.resourceMeta);
      const same = this.#byResource.get(key);
      if (same) same.push(manifest);
      else this.#byResource.set(key, [manifest]);
    }
  }

  /** The entry of a manifest: by all that identifies it, or without its place if that is unique. */
  find(meta: ManifestResourceMeta): ManifestCondition | undefined {
    const same = this.#byResource.get(resourceKey(meta)) ?? [];
    return (
      same.find(({ resourceMeta }) => resourceMeta.ordinal === meta.ordinal) ??
      (same.length === 1 ? same[0] : undefined)
    );
  }
}

const resourceKey = ({ group, version, kind, resource, name, namespace }: ManifestResourceMeta): string =>
  [group, version, kind, resource, namespace, name].map((field) => field ?? '').join('|');
