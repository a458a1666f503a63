import type { AddOnConfigReference, ManagedCluster, ManagedClusterAddOn } from '@flotilla/api-types';
import { joinKey, keyOf } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import { specHash } from '../configs/spec-hash.ts';
import type { AddonDefinition } from '../definition/addon-definition.ts';
import type { ConfigDeclaration, ConfigDeclarations } from '../definition/config.ts';
import type { RenderContext } from '../definition/context.ts';
import type { Manifest } from '../definition/manifest.ts';
import { checkManifests } from '../manifests/rendered-manifest.ts';
import { addonContext, installNamespaceFor } from '../render/addon-context.ts';
import { renderContext } from '../render/render-context.ts';

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
export async function contextFor<C extends ConfigDeclarations>(
  definition: AddonDefinition<C>,
  { cluster: given, addon: changes = {}, configs }: RenderInput<C>,
): Promise<RenderContext<C>> {
  const cluster = clusterOf(given);
  const objects = Object.entries(definition.configs ?? {}).flatMap(([name, { type }]) => {
    const found: unknown = configs?.[name];
    const list: KubeObject[] = Array.isArray(found) ? found : found ? [found] : [];
    return list.map((object) => ({ type, object, key: keyOf(object) }));
  });
  const addon: ManagedClusterAddOn = {
    ...changes,
    metadata: { name: definition.name, namespace: cluster.metadata?.name, uid: 'addon', ...changes.metadata },
    spec: changes.spec ?? {},
    status: {
      ...changes.status,
      configReferences: objects.map(
        ({ type, object }): AddOnConfigReference => ({
          group: type.group,
          resource: type.plural,
          desiredConfig: {
            ...(object.metadata?.namespace && { namespace: object.metadata.namespace }),
            name: object.metadata?.name ?? '',
            specHash: specHash(object),
          },
        }),
      ),
    },
  };
  const find = ({ group, plural }: { group: string; plural: string }, key: string) =>
    objects.find((one) => one.type.group === group && one.type.plural === plural && one.key === key)?.object;
  const { context } = addonContext(definition, { addon, cluster }, find, new AbortController().signal);
  const namespace = await installNamespaceFor(definition, context);
  // Its configs are those of the definition.
  return renderContext(definition, context, namespace) as RenderContext<C>;
}

/** The manifests of an add-on for one cluster, without a hub: for snapshots and unit tests. Throws what users would see as a condition. */
export async function renderFor<C extends ConfigDeclarations>(
  definition: AddonDefinition<C>,
  input: RenderInput<C>,
): Promise<Manifest[]> {
  const context = await contextFor(definition, input);
  return checkManifests(await definition.render(context), { addon: definition.name, cluster: context.clusterName });
}

function clusterOf(given: string | Partial<ManagedCluster>): ManagedCluster {
  if (typeof given === 'string') return { metadata: { name: given, uid: joinKey(undefined, given) }, spec: {} };
  return { ...given, metadata: { name: 'cluster1', ...given.metadata }, spec: given.spec ?? {} };
}
