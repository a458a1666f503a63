import type { ConfigMap, Container, DownwardAPIVolumeFile, KeyToPath, Pod, Secret } from '@flotilla/kube/kinds';
import { type PodPlacement, podField, resourceField } from '../environment/pod-fields.ts';
import type { VolumeFile } from './atomic-directory.ts';

/** A volume that cannot be set up now; pods wait for it in ContainerCreating. */
export class MountError extends Error {
  override readonly name = 'MountError';
}

/** What a volume takes of an object. */
export interface Selection {
  readonly kind: 'secret' | 'configmap';
  readonly name: string;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
  readonly defaultMode?: number;
}

const usualMode = 0o644;

/** The files of a Secret or ConfigMap: all keys, or those that are listed, under their paths. */
export function objectFiles(object: Secret | ConfigMap | undefined, selection: Selection): Map<string, VolumeFile> {
  const { kind, name, items, optional, defaultMode = usualMode } = selection;
  if (!object) {
    if (optional) return new Map();
    throw new MountError(`${kind} "${name}" not found`);
  }
  const contents = contentsOf(object, kind);
  if (!items?.length) return new Map([...contents].map(([key, content]) => [key, { content, mode: defaultMode }]));
  const files = new Map<string, VolumeFile>();
  for (const { key, path, mode = defaultMode } of items) {
    const content = contents.get(key);
    if (content) files.set(safePath(path), { content, mode });
    else if (!optional) throw new MountError(`references non-existent ${kind} key: ${key}`);
  }
  return files;
}

function contentsOf(object: Secret | ConfigMap, kind: Selection['kind']): Map<string, Buffer> {
  const encoding = kind === 'secret' ? 'base64' : 'utf8';
  const contents = new Map(Object.entries(object.data ?? {}).map(([key, text]) => [key, Buffer.from(text, encoding)]));
  if ('binaryData' in object) {
    for (const [key, text] of Object.entries(object.binaryData ?? {})) contents.set(key, Buffer.from(text, 'base64'));
  }
  return contents;
}

/** The files of a downward API volume. */
export function downwardFiles(
  pod: Pod,
  items: readonly DownwardAPIVolumeFile[],
  placement: PodPlacement,
  defaultMode = usualMode,
): Map<string, VolumeFile> {
  const containers: readonly Container[] = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  return new Map(
    items.map(({ path, fieldRef, resourceFieldRef, mode = defaultMode }) => {
      const container = containers.find(({ name }) => name === resourceFieldRef?.containerName);
      const value = fieldRef
        ? podField(pod, fieldRef.fieldPath, placement)
        : resourceFieldRef && container && resourceField(container, resourceFieldRef, placement);
      if (value === undefined)
        throw new MountError(`the downward API item for "${path}" references nothing that is known`);
      return [safePath(path), { content: Buffer.from(value), mode }];
    }),
  );
}

/** The API server refuses such paths; this keeps a volume in its directory whatever the server does. */
export function safePath(path: string): string {
  if (path.startsWith('/') || path.split('/').some((part) => part === '..' || part === '')) {
    throw new MountError(`the path "${path}" of a volume's file is not a relative path without ".."`);
  }
  return path;
}
