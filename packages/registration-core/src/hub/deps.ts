import {
  type FeatureGateValues,
  Label,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type ManagedClusterSet,
  type ManagedClusterSetBinding,
  managedClusterAddOns,
  managedClusterSetBindings,
  managedClusterSets,
  managedClusters,
  manifestWorks,
  ReportingController,
} from '@flotilla/api-types';
import {
  type CachedResource,
  type Clock,
  createEventRecorder,
  type EventRecorder,
  type Informers,
  type KubeClient,
  type Logger,
} from '@flotilla/kube';
import {
  type ClusterRole,
  type ClusterRoleBinding,
  clusterRoleBindings,
  clusterRoles,
  events,
  type Lease,
  leases,
  type Namespace,
  namespaces,
  type RoleBinding,
  roleBindings,
} from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import type { StartedDriver } from './drivers/start-drivers.ts';
import { identityIndex } from './identity/identity.policy.ts';
import { managedNamespacesIndex } from './managed-namespaces/managed-namespaces.policy.ts';
import type { HubOptions } from './options.ts';
import { membersIndex, selectorTypeIndex } from './sets/membership.ts';

/** What a hub is made of. */
export interface HubInput {
  readonly client: KubeClient;
  readonly informers: Informers;
  /** By which clusters may register: `await startDrivers([csrDriver], context)`. */
  readonly drivers: readonly StartedDriver[];
  readonly gates?: FeatureGateValues;
  readonly clock: Clock;
  readonly log: Logger;
  readonly options?: Partial<HubOptions>;
}

/** What the hub's controllers share: one cache per kind, and the world as parameters. */
export interface HubDeps {
  readonly client: KubeClient;
  readonly informers: Informers;
  readonly drivers: readonly StartedDriver[];
  readonly gates: FeatureGateValues;
  readonly clock: Clock;
  readonly log: Logger;
  readonly options: HubOptions;
  readonly recorder: EventRecorder;
  readonly clusters: CachedResource<ManagedCluster>;
  readonly sets: CachedResource<ManagedClusterSet>;
  readonly bindings: CachedResource<ManagedClusterSetBinding>;
  readonly addons: CachedResource<ManagedClusterAddOn>;
  /** Metadata only: the hub needs to know that works are there, not what is in them. */
  readonly works: CachedResource<KubeObject>;
  readonly namespaces: CachedResource<Namespace>;
  readonly clusterRoles: CachedResource<ClusterRole>;
  readonly clusterRoleBindings: CachedResource<ClusterRoleBinding>;
  readonly roleBindings: CachedResource<RoleBinding>;
  readonly leases: CachedResource<Lease>;
}

/** Objects that belong to a cluster and to no add-on: all that the hub watches of the built-in kinds. */
const ofClusters = `${Label.ClusterName},!${Label.AddOnName}`;

/** Objects by their namespace. */
export const byNamespace = 'namespace';

/** Bindings by the set that they bind. */
export const bySet = 'by-clusterset';

const namespaceOf = (object: KubeObject): readonly string[] =>
  object.metadata?.namespace ? [object.metadata.namespace] : [];

const setOf = ({ spec }: ManagedClusterSetBinding): readonly string[] => (spec?.clusterSet ? [spec.clusterSet] : []);

/** The metadata of a kind by namespace; who asks again shares the watch. */
export const metadataByNamespace = (informers: Informers, type: Parameters<Informers['metadata']>[0]) =>
  informers.metadata(type, { indexes: { [byNamespace]: namespaceOf } });

/** Opens the caches. */
export function hubDeps(input: HubInput, gates: FeatureGateValues, options: HubOptions): HubDeps {
  const { client, informers, drivers, clock, log } = input;
  const labelled = { labelSelector: ofClusters };
  return {
    client,
    informers,
    drivers,
    gates,
    clock,
    log,
    options,
    recorder: createEventRecorder({
      events: client.resource(events),
      reportingController: ReportingController.Registration,
      clock,
      log,
    }),
    clusters: informers.resource(managedClusters, {
      indexes: { ...membersIndex, ...identityIndex, ...managedNamespacesIndex },
    }),
    sets: informers.resource(managedClusterSets, { indexes: selectorTypeIndex }),
    bindings: informers.resource(managedClusterSetBindings, {
      indexes: { [bySet]: setOf, [byNamespace]: namespaceOf },
    }),
    addons: informers.resource(managedClusterAddOns, { indexes: { [byNamespace]: namespaceOf } }),
    works: metadataByNamespace(informers, manifestWorks),
    namespaces: informers.resource(namespaces, labelled),
    clusterRoles: informers.resource(clusterRoles, labelled),
    clusterRoleBindings: informers.resource(clusterRoleBindings, labelled),
    roleBindings: informers.resource(roleBindings, labelled),
    leases: informers.resource(leases, labelled),
  };
}
