import type { EmbeddedResource, ObjectMeta } from '@flotilla/schema';
import { isRecord } from '@flotilla/schema';
import type { Manifest } from '../definition/manifest.ts';

/** A manifest that has what every object needs. */
export interface RenderedManifest extends EmbeddedResource {
  metadata: ObjectMeta & Record<string, unknown> & { name: string };
}

/** Of which object of which cluster something is wrong. */
export interface RenderTarget {
  readonly addon: string;
  readonly cluster: string;
}

/** An object for messages: `Deployment default/web`. */
export const describeManifest = ({ kind, metadata }: Manifest): string => {
  const { namespace, name } = isRecord(metadata) ? metadata : {};
  return `${kind ?? 'object'} ${typeof namespace === 'string' && namespace ? `${namespace}/` : ''}${String(name ?? '')}`.trim();
};

/** Checks what `render` returned; an error names the add-on, the cluster, the manifest and the field. */
export const checkManifests = (manifests: unknown, target: RenderTarget): RenderedManifest[] => {
  if (!Array.isArray(manifests)) {
    throw new TypeError(`${prefixOf(target)}: render returned ${typeof manifests}; it must return a list of objects`);
  }
  return manifests.map((manifest: unknown, index) => checkManifest(manifest, index, target));
};

function checkManifest(manifest: unknown, index: number, target: RenderTarget): RenderedManifest {
  const refuse = (name: string, field: string, value: unknown, need: string): never => {
    throw new TypeError(
      `${prefixOf(target)}: manifest ${index}${name && ` (${name})`}: ${field} is ${JSON.stringify(value) ?? 'not set'}; ${need}`,
    );
  };
  if (!isRecord(manifest)) return refuse('', 'it', manifest, 'it must be an object');
  const { apiVersion, kind, metadata } = manifest;
  const name = describeManifest({
    kind: typeof kind === 'string' ? kind : 'object',
    metadata: isRecord(metadata) ? metadata : {},
  });
  if (typeof apiVersion !== 'string' || !apiVersion)
    return refuse(name, 'apiVersion', apiVersion, 'give it, such as apps/v1');
  if (typeof kind !== 'string' || !kind) return refuse(name, 'kind', kind, 'give it, such as Deployment');
  if (!isRecord(metadata)) return refuse(name, 'metadata', metadata, 'give it, with a name');
  if (typeof metadata.name !== 'string' || !metadata.name)
    return refuse(name, 'metadata.name', metadata.name, 'give it');
  if (metadata.namespace !== undefined && typeof metadata.namespace !== 'string')
    return refuse(
      name,
      'metadata.namespace',
      metadata.namespace,
      'it must be a text; quote "{{ placeholders }}" in templates',
    );
  return { ...manifest, apiVersion, kind, metadata: { ...metadata, name: metadata.name } };
}

/** The add-on and the cluster, for messages. */
export const prefixOf = ({ addon, cluster }: RenderTarget): string => `add-on ${addon} on cluster ${cluster}`;

/** Group of an API version; empty for the core group. */
export const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? (apiVersion.split('/', 1)[0] ?? '') : '';

/** The resource that a kind is most likely served as, by the rules of OCM. */
export function guessResource(kind: string): string {
  const word = kind.toLowerCase();
  if (word === 'endpoints') return word;
  if (word.endsWith('s')) return `${word}es`;
  return word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`;
}

/** Which object a manifest is, in whatever version. */
export const identityOf = ({ apiVersion, kind, metadata }: EmbeddedResource): string =>
  JSON.stringify([groupOf(apiVersion), kind, metadata?.namespace ?? '', metadata?.name ?? '']);
