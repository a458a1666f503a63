import { isRecord } from '@flotilla/schema';
import type { ImageOptions } from '../options/bundle.ts';
import { imageValues } from './hub-values.ts';

/** The fields of a spec that name images. */
export const imagesOf = (object: object | undefined): Record<string, string> => {
  const spec = object && 'spec' in object && isRecord(object.spec) ? object.spec : {};
  return Object.fromEntries(
    Object.entries(spec).filter(
      (entry): entry is [string, string] => /[iI]magePullSpec$/.test(entry[0]) && typeof entry[1] === 'string',
    ),
  );
};

/** Where the images of a ClusterManager or Klusterlet come from, if it is a registry of images of this project. */
function liveSource(found: object): { registry?: string; tag?: string } {
  const [image = ''] = Object.values(imagesOf(found));
  const [, registry, tag] = /^(.+)\/(?:hub|agent|singleton)(?::([^@]+)|@.*)?$/.exec(image) ?? [];
  return { ...(registry && { registry }), ...(tag && { tag }) };
}

/** Images stay in the registry that they come from, unless another one is named. */
export const withLiveRegistry = (images: object | undefined, found: object): object => {
  const { registry } = liveSource(found);
  return { ...(registry && { registry }), ...images };
};

/** Whether a ClusterManager or Klusterlet names images of this project; one that the user started has those of OCM by default. */
export const hasOwnImages = (found: object): boolean => liveSource(found).registry !== undefined;

/** Whether a command names images: by its flags, or by the values of a file. */
export const namesImages = (options: ImageOptions, fromFile: object): boolean => {
  const images = 'images' in fromFile && isRecord(fromFile.images) ? fromFile.images : {};
  const { imageRegistry, bundleVersion, bundleVersionOverrides } = options;
  const given = [imageRegistry, bundleVersion, bundleVersionOverrides, images.registry, images.tag, images.overrides];
  return given.some((value) => value !== undefined);
};

/** Images as the flags say; registry and tag stay where they say nothing. */
export async function imagesAgain(options: ImageOptions, found: object): Promise<object> {
  const { images } = await imageValues(options);
  const { tag } = liveSource(found);
  const keepsTag = options.bundleVersion === undefined && options.bundleVersionOverrides === undefined;
  return withLiveRegistry({ ...images, ...(keepsTag && tag && { tag }) }, found);
}
