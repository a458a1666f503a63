import { Annotation } from '@flotilla/api-types';
import { describeManifest, type RenderedManifest } from './rendered-manifest.ts';

/** Where a manifest goes when the agent is hosted. */
export type ManifestLocation = 'managed' | 'hosting' | 'none';

const locations: ReadonlySet<string> = new Set<ManifestLocation>(['managed', 'hosting', 'none']);
const isLocation = (text: string): text is ManifestLocation => locations.has(text);

/** The value of a mark, which may be an annotation or, in older add-ons, a label. */
const markOf = ({ metadata }: RenderedManifest, key: string): string | undefined =>
  metadata.annotations?.[key] ?? metadata.labels?.[key];

/** Whether a manifest runs before the add-on is removed, and not before. */
export const isHook = (manifest: RenderedManifest): boolean =>
  (manifest.kind === 'Job' || manifest.kind === 'Pod') && markOf(manifest, Annotation.AddOnPreDelete) !== undefined;

/** Whether an object stays on the cluster when the add-on is removed. */
export const isOrphaned = ({ metadata }: RenderedManifest): boolean =>
  metadata.annotations?.[Annotation.DeletionOrphan] !== undefined;

/** Where a manifest goes in hosted mode. */
export function locationOf(manifest: RenderedManifest): ManifestLocation {
  const value = markOf(manifest, Annotation.HostedManifestLocation);
  if (value === undefined) return 'managed';
  if (isLocation(value)) return value;
  throw new TypeError(
    `${describeManifest(manifest)}: annotation ${Annotation.HostedManifestLocation} is ${JSON.stringify(value)}; it must be managed, hosting or none`,
  );
}
