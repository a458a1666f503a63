import { type AddOnDeploymentConfigSpec, Annotation, type ManagedCluster } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import { isRecord, parseJson } from '@flotilla/schema';

/** A mirror for images. */
export type ImageRegistry = NonNullable<AddOnDeploymentConfigSpec['registries']>[number];

/**
 * An image from its mirror. Each rule is tested against the original name, and the last one that changes it wins; a rule without a
 * source is for every image, of which it keeps the last part of the path.
 */
export function overrideImage(image: string, registries: readonly ImageRegistry[]): string {
  let result = image;
  for (const { source = '', mirror } of registries) {
    const from = withoutSlash(source);
    const to = withoutSlash(mirror);
    const changed = mirrored(image, from, to);
    if (changed !== image) result = changed;
  }
  return result;
}

function mirrored(image: string, source: string, mirror: string): string {
  if (source === '') {
    const segment = image.slice(image.lastIndexOf('/') + 1);
    return mirror === '' ? segment : `${mirror}/${segment}`;
  }
  return image.startsWith(source) ? mirror + image.slice(source.length) : image;
}

const withoutSlash = (text: string): string => (text.endsWith('/') ? text.slice(0, -1) : text);

/** The mirrors that an annotation of a cluster names. */
export function clusterRegistries({ metadata }: ManagedCluster): readonly ImageRegistry[] {
  const text = metadata?.annotations?.[Annotation.ImageRegistries];
  if (!text) return [];
  const field = `annotation ${Annotation.ImageRegistries} of cluster ${metadata?.name}`;
  const refuse = (cause?: unknown) =>
    new KubeError('Config', `${field} is ${JSON.stringify(text)}`, {
      cause,
      hint: 'It must be JSON of the form {"registries":[{"source":"quay.io/a","mirror":"registry.example/a"}]}.',
    });
  let parsed: unknown;
  try {
    parsed = parseJson(text);
  } catch (error) {
    throw refuse(error);
  }
  const { registries = [] } = isRecord(parsed) ? parsed : { registries: undefined };
  if (!isRecord(parsed) || !Array.isArray(registries)) throw refuse();
  return registries.map((registry: unknown) => {
    const { source = '', mirror } = isRecord(registry) ? registry : {};
    if (typeof mirror !== 'string' || typeof source !== 'string') throw refuse();
    return { source, mirror };
  });
}
