import type { ManagedCluster, ManagedClusterAddOn } from '@flotilla/api-types';
import { apiVersionOf } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import type { AddonDefinition } from '../definition/addon-definition.ts';
import type { ConfigDeclaration, ConfigDeclarations } from '../definition/config.ts';
import type { RenderContext } from '../definition/context.ts';
import type { Manifest } from '../definition/manifest.ts';
import { type OfflineInput, offlineContext, renderOffline } from '../render/render-offline.ts';

/** For which cluster to render, and with what. */
export interface RenderInput<C extends ConfigDeclarations = ConfigDeclarations> {
  /** A name, or parts of the ManagedCluster. */
  readonly cluster: string | Partial<ManagedCluster>;
  /** Parts of the ManagedClusterAddOn: annotations, for example. */
  readonly addon?: Partial<ManagedClusterAddOn>;
  /** Configuration objects by the names that the definition has for their kinds. */
  readonly configs?: {
    readonly [Name in keyof C]?: C[Name] extends ConfigDeclaration<infer T> ? T | readonly T[] : never;
  };
}

/** What `render` would be given for a cluster. */
export const contextFor = async <C extends ConfigDeclarations>(
  definition: AddonDefinition<C>,
  input: RenderInput<C>,
): Promise<RenderContext<C>> =>
  // Its configs are those of the definition.
  (await offlineContext(definition, offlineInput(definition, input))) as RenderContext<C>;

/** The manifests of an add-on for one cluster, without a hub: for snapshots and unit tests. Throws what users would see as a condition. */
export const renderFor = <C extends ConfigDeclarations>(
  definition: AddonDefinition<C>,
  input: RenderInput<C>,
): Promise<Manifest[]> => renderOffline(definition, offlineInput(definition, input));

function offlineInput<C extends ConfigDeclarations>(
  definition: AddonDefinition<C>,
  { cluster, addon, configs }: RenderInput<C>,
): OfflineInput {
  const objects = Object.entries(definition.configs ?? {}).flatMap(([name, { type }]): KubeObject[] => {
    const given: unknown = configs?.[name];
    const list: KubeObject[] = Array.isArray(given) ? given : given ? [given] : [];
    return list.map((object) => ({ ...object, apiVersion: apiVersionOf(type), kind: type.kind }));
  });
  const parts = typeof cluster === 'string' ? { metadata: { name: cluster } } : cluster;
  return {
    cluster: { ...parts, metadata: { name: 'cluster1', ...parts.metadata }, spec: parts.spec ?? {} },
    ...(addon && { addon }),
    configs: objects,
  };
}
