import {
  type ClusterManagementAddOn,
  clusterManagementAddOns,
  Label,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type ManifestWork,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
} from '@flotilla/api-types';
import {
  type CachedResource,
  type Informers,
  joinKey,
  KubeError,
  keyOf,
  type ObjectKey,
  type StoreChange,
} from '@flotilla/kube';
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
  type Role,
  type RoleBinding,
  roleBindings,
  roles,
  withoutRequestBody,
} from '@flotilla/kube/kinds';
import { semanticEqual } from '@flotilla/kube/meta';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { chosenBy, type PlacementOf } from '../configs/chosen-configs.ts';
import type { ConfigSource } from '../configs/resolve-configs.ts';
import type { AddonDefinition } from '../definition/addon-definition.ts';

/** Index of add-ons by name. */
export const byName = 'addon-sdk-name';
/** Index of add-ons by the configuration objects that their status references. */
const byConfig = 'addon-sdk-config';
/** Index of works by the key of their ManagedClusterAddOn. */
export const byAddon = 'addon-sdk-addon';
/** Index of what agents were given, by the uid of the ManagedClusterAddOn that owns it. */
export const byOwner = 'addon-sdk-owner';
/** Index of the bindings that agents of several clusters share, by add-on: those without an owner. */
export const byShared = 'addon-sdk-shared';

/** What the controllers of one definition read. */
export interface AddonCaches {
  readonly addons: CachedResource<ManagedClusterAddOn>;
  readonly clusters: CachedResource<ManagedCluster>;
  readonly works: CachedResource<ManifestWork>;
  readonly offers: CachedResource<ClusterManagementAddOn>;
  /** Of an add-on whose agents register with the hub: others need no rights to read these. */
  readonly registration?: RegistrationCaches;
  /** Of the declared kinds of configuration. */
  readonly configs: readonly { readonly type: ResourceType; readonly cache: CachedResource<KubeObject> }[];
  /** The configuration objects that an add-on on a cluster may have. */
  configsFor(addon: ManagedClusterAddOn): ConfigSource;
  /** Gives them back; those that others hold stay open. */
  close(): void;
}

/** What the registration of agents needs. */
export interface RegistrationCaches {
  /** Without their bodies: any agent may label requests of a megabyte with an add-on. */
  readonly requests: CachedResource<CertificateSigningRequest>;
  readonly roles: CachedResource<Role>;
  readonly roleBindings: CachedResource<RoleBinding>;
}

/** The key of the ManagedClusterAddOn that a work belongs to. */
export function addonOfWork({ metadata }: ManifestWork): ObjectKey | undefined {
  const name = metadata?.labels?.[Label.AddOnName];
  if (!name) return undefined;
  return joinKey(metadata?.labels?.[Label.AddOnNamespace] ?? metadata?.namespace, name);
}

/** Passes changes of what a ClusterManagementAddOn offers, not of its status. */
export const isNewOffer =
  (name: string) =>
  ({ type, key, object, previous }: StoreChange<ClusterManagementAddOn>): boolean =>
    key === name && type === 'updated' && !semanticEqual(object.spec, previous.spec);

const configKey = (group: string, resource: string, key: ObjectKey): string => `${group}/${resource}/${key}`;

const configsOf = ({ status }: ManagedClusterAddOn): readonly string[] =>
  (status?.configReferences ?? []).flatMap(({ group = '', resource, desiredConfig }) =>
    desiredConfig ? [configKey(group, resource, joinKey(desiredConfig.namespace, desiredConfig.name))] : [],
  );

/** Keys of the add-ons of one name that reference a configuration object. */
export const addonsReferencing =
  ({ addons }: Pick<AddonCaches, 'addons'>, addonName: string, { group, plural }: ResourceType) =>
  (config: KubeObject): ObjectKey[] =>
    addons
      .byIndex(byConfig, configKey(group, plural, keyOf(config)))
      .filter(({ metadata }) => metadata?.name === addonName)
      .map(keyOf);

const nameOf = ({ metadata }: KubeObject): readonly string[] => (metadata?.name ? [metadata.name] : []);
const addonKeysOf = (work: ManifestWork): readonly string[] => {
  const key = addonOfWork(work);
  return key === undefined ? [] : [key];
};

const ownersOf = ({ metadata }: KubeObject): readonly string[] =>
  (metadata?.ownerReferences ?? []).filter(({ kind }) => kind === managedClusterAddOns.kind).map(({ uid }) => uid);
const sharedBy = ({ metadata }: KubeObject): readonly string[] => {
  const addonName = metadata?.labels?.[Label.AddOnName];
  return addonName && (metadata.ownerReferences ?? []).length === 0 ? [addonName] : [];
};

const withoutBody = withoutRequestBody({ labels: [Label.ClusterName, Label.AddOnName], annotations: [] });

/** Opens the caches of a definition; those of other definitions are shared. */
export function openCaches(
  informers: Informers,
  definition: AddonDefinition,
  { only, placementOf }: { readonly only?: readonly string[]; readonly placementOf?: PlacementOf },
): AddonCaches {
  const opened: { close(): void }[] = [];
  const held = <C extends { close(): void }>(cache: C): C => {
    opened.push(cache);
    return cache;
  };
  const ofAddons = only ? `${Label.AddOnName} in (${only.join(',')})` : Label.AddOnName;
  const configs = Object.values(definition.configs ?? {}).map(({ type }) => ({
    type,
    cache: held(informers.resource<KubeObject>(type)),
  }));
  const offers = held(informers.resource(clusterManagementAddOns));
  const find = ({ group, plural }: ResourceType, key: ObjectKey): KubeObject | undefined => {
    const found = configs.find(({ type }) => type.group === group && type.plural === plural);
    if (!found) throw new KubeError('Config', `${plural}.${group} is not a declared kind of configuration`);
    return found.cache.get(key);
  };
  const clusters = held(informers.resource(managedClusters));
  return {
    addons: held(informers.resource(managedClusterAddOns, { indexes: { [byName]: nameOf, [byConfig]: configsOf } })),
    clusters,
    works: held(informers.resource(manifestWorks, { labelSelector: ofAddons, indexes: { [byAddon]: addonKeysOf } })),
    offers,
    ...(definition.registration && {
      registration: {
        requests: held(
          informers.resource(certificateSigningRequests, { labelSelector: ofAddons, transform: withoutBody }),
        ),
        roles: held(informers.resource(roles, { labelSelector: ofAddons, indexes: { [byOwner]: ownersOf } })),
        roleBindings: held(
          informers.resource(roleBindings, {
            labelSelector: ofAddons,
            indexes: { [byOwner]: ownersOf, [byShared]: sharedBy },
          }),
        ),
      },
    }),
    configs,
    configsFor: (addon) => ({
      find,
      isChosen: chosenBy(addon, offers.get(definition.name), placementOf),
      cluster: (name) => clusters.get(name),
    }),
    close() {
      for (const cache of opened) cache.close();
    },
  };
}
