import type { KubeObject } from '@flotilla/schema';
import type { ResourceInfo } from './resource-info.ts';

/** Between the version in which objects are stored and those in which they are served. A promise only where a webhook is asked. */
export interface Conversions {
  /** Stored objects as a version shows them. */
  show(info: ResourceInfo, stored: readonly KubeObject[]): readonly KubeObject[] | Promise<readonly KubeObject[]>;
  /** An object as it is to be stored. */
  store(info: ResourceInfo, object: KubeObject): KubeObject | Promise<KubeObject>;
}

/** One object as a version shows it. */
export const shown = async (
  { conversions }: { readonly conversions: Conversions },
  info: ResourceInfo,
  stored: KubeObject,
): Promise<KubeObject> => (await conversions.show(info, [stored]))[0] ?? stored;
