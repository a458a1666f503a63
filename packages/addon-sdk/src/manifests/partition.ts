import type { InstallMode } from '../definition/context.ts';
import { isHook, locationOf } from './marks.ts';
import type { RenderedManifest } from './rendered-manifest.ts';

/** What goes to one cluster. */
export interface ClusterManifests {
  readonly deployed: readonly RenderedManifest[];
  readonly hooks: readonly RenderedManifest[];
}

/** What `render` returned, by cluster. */
export interface ManifestPartition {
  readonly managed: ClusterManifests;
  readonly hosting: ClusterManifests;
}

/** Who may host agents, and who does. */
export interface Hosting {
  /** Whether the definition knows hosted mode. */
  readonly enabled: boolean;
  readonly mode: InstallMode;
}

/** Splits manifests by the cluster that they go to, and hooks from the rest. A wrong location is an error also where it does not count. */
export function partitionManifests(
  manifests: readonly RenderedManifest[],
  { enabled, mode }: Hosting,
): ManifestPartition {
  const located = manifests.map((manifest) => {
    const location = enabled ? locationOf(manifest) : 'managed';
    return { manifest, location: mode === 'Hosted' ? location : 'managed' };
  });
  const at = (wanted: 'managed' | 'hosting'): ClusterManifests => {
    const there = located.filter(({ location }) => location === wanted).map(({ manifest }) => manifest);
    return {
      deployed: there.filter((manifest) => !isHook(manifest)),
      hooks: there.filter(isHook),
    };
  };
  return { managed: at('managed'), hosting: at('hosting') };
}
