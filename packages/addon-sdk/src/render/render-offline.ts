import type { AddOnConfigReference, ManagedCluster, ManagedClusterAddOn } from '@flotilla/api-types';
import { KubeError, keyOf } from '@flotilla/kube';
import { apiVersionOf } from '@flotilla/kube/meta';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { specHash } from '../configs/spec-hash.ts';
import type { AddonDefinition } from '../definition/addon-definition.ts';
import type { RenderContext } from '../definition/context.ts';
import { checkManifests, groupOf, type RenderedManifest } from '../manifests/rendered-manifest.ts';
import { addonContext, installNamespaceFor } from './addon-context.ts';
import { renderContext } from './render-context.ts';

/** One cluster, as objects. */
export interface OfflineInput {
  readonly cluster: ManagedCluster;
  /** Its annotations and status count; name and namespace are filled in. */
  readonly addon?: Partial<ManagedClusterAddOn>;
  /** What the cluster references; each must be of a kind that the definition declares. */
  readonly configs?: readonly KubeObject[];
}

interface TypedConfig {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

/** What `render` is given for a cluster that exists only as objects. */
export async function offlineContext(definition: AddonDefinition, input: OfflineInput): Promise<RenderContext> {
  const { cluster, addon: given = {}, configs = [] } = input;
  const typed = configs.map((object) => ({ object, type: typeOf(definition, object) }));
  const addon: ManagedClusterAddOn = {
    ...given,
    metadata: { ...given.metadata, name: definition.name, namespace: cluster.metadata?.name },
    spec: given.spec ?? {},
    status: { ...given.status, configReferences: typed.map(referenceTo) },
  };
  const find = ({ group, plural }: ResourceType, key: string) =>
    typed.find(({ type, object }) => type.group === group && type.plural === plural && keyOf(object) === key)?.object;
  const source = { find, isChosen: () => true };
  const { context } = addonContext(definition, { addon, cluster }, source, new AbortController().signal);
  return renderContext(definition, context, await installNamespaceFor(definition, context));
}

/** The manifests of such a cluster. Throws what users would see as a condition. */
export async function renderOffline(definition: AddonDefinition, input: OfflineInput): Promise<RenderedManifest[]> {
  const context = await offlineContext(definition, input);
  return checkManifests(await definition.render(context), { addon: definition.name, cluster: context.clusterName });
}

const referenceTo = ({ type, object }: TypedConfig): AddOnConfigReference => ({
  group: type.group,
  resource: type.plural,
  desiredConfig: {
    ...(object.metadata?.namespace && { namespace: object.metadata.namespace }),
    name: object.metadata?.name ?? '',
    specHash: specHash(object),
  },
});

/** The declared kind of an object. */
function typeOf({ name, configs = {} }: AddonDefinition, { apiVersion, kind }: KubeObject): ResourceType {
  const types = Object.values(configs).map(({ type }) => type);
  const found = types.find((type) => type.kind === kind && groupOf(apiVersionOf(type)) === groupOf(apiVersion ?? ''));
  if (found) return found;
  throw new KubeError(
    'Config',
    `${kind ?? 'an object without kind'} is not a kind of configuration of add-on ${name}`,
    {
      hint: `It takes ${types.map((type) => type.kind).join(', ') || 'none'}.`,
    },
  );
}
