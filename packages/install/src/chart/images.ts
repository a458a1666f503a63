import type { ImageValues } from './values.ts';

/** A release: what the charts of one version have in common. */
export interface ChartRelease {
  /** Such as `0.1.0`; images have the tag `v0.1.0`. */
  readonly version: string;
}

/** The name of an image: an override, or the image of this program in the registry. */
export const imageOf = (
  { registry, tag }: Pick<ImageValues<never>, 'registry' | 'tag'>,
  { version }: ChartRelease,
  program: 'operator' | 'hub' | 'agent' | 'singleton',
  override: string,
): string => override || `${registry}/${program}:${tag || `v${version}`}`;
