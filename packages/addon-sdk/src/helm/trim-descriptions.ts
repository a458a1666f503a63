import { isRecord } from '@flotilla/schema';
import type { Manifest } from '../definition/manifest.ts';

/** A CustomResourceDefinition without descriptions, which are most of its size; other objects as they are. */
export function trimDescriptions(manifest: Manifest): Manifest {
  if (manifest.kind !== 'CustomResourceDefinition' || !('spec' in manifest) || !isRecord(manifest.spec))
    return manifest;
  const { versions } = manifest.spec;
  if (!Array.isArray(versions)) return manifest;
  const trimmed = versions.map((version: unknown) =>
    isRecord(version) && isRecord(version.schema)
      ? { ...version, schema: { ...version.schema, openAPIV3Schema: trim(version.schema.openAPIV3Schema) } }
      : version,
  );
  return { ...manifest, spec: { ...manifest.spec, versions: trimmed } };
}

/** A schema without descriptions. A property may itself be named description. */
function trim(schema: unknown, areProperties = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => trim(item));
  if (!isRecord(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => areProperties || key !== 'description')
      .map(([key, value]) => [
        key,
        trim(value, !areProperties && (key === 'properties' || key === 'patternProperties')),
      ]),
  );
}
