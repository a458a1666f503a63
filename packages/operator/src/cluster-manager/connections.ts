import { type ClusterManager, DataKey, Label, SecretName } from '@flotilla/api-types';
import {
  type CachedResource,
  type ClusterAccess,
  createInformers,
  createKubeClient,
  type Informers,
  type KubeClient,
  secretAccess,
} from '@flotilla/kube';
import {
  apiServices,
  clusterRoleBindings,
  clusterRoles,
  deployments,
  endpointSlices,
  mutatingWebhookConfigurations,
  namespaces,
  networkPolicies,
  podDisruptionBudgets,
  roleBindings,
  roles,
  secretData,
  serviceAccounts,
  services,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  validatingWebhookConfigurations,
} from '@flotilla/kube/kinds';
import type { ResourceType } from '@flotilla/schema';
import { type CustomResourceDefinition, customResourceDefinitionResource } from '@flotilla/schema/define';
import { merge, type Subscription } from 'rxjs';
import { createObjectKeeper, type ObjectKeeper } from '../apply/index.ts';
import type { NamedObjects } from './named-objects.ts';
import type { HubOperatorDeps } from './settings.ts';
import { hubNamespace } from './spec.policy.ts';
import { isHosted } from './validation.policy.ts';

/** Of whom server-side applies are. */
export const fieldManager = 'flotilla-operator-hub';

/** Kinds that are deleted when they are rendered no more, in this order. Namespaces are not: they hold more than the operator made. */
export const renderedKinds: readonly ResourceType[] = [
  // Before what serves it: while an API does not answer, no namespace can be deleted.
  apiServices,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
  deployments,
  podDisruptionBudgets,
  networkPolicies,
  services,
  endpointSlices,
  validatingAdmissionPolicyBindings,
  validatingAdmissionPolicies,
  roleBindings,
  roles,
  clusterRoleBindings,
  clusterRoles,
  serviceAccounts,
];

/** Kinds of the cluster that runs the programs of a hub. */
const ofPrograms: readonly ResourceType[] = [deployments, podDisruptionBudgets, networkPolicies];

/** A cluster that has objects of a hub. */
export interface HubCluster {
  readonly client: KubeClient;
  readonly keeper: ObjectKeeper;
  readonly definitions: CachedResource<CustomResourceDefinition>;
  /** How programs outside of it reach it. */
  access(): Promise<ClusterAccess>;
}

/** Watches what the operator keeps on a cluster, without kinds that it never has there. */
function watchCluster(
  informers: Informers,
  absent: readonly ResourceType[],
): Pick<HubCluster, 'keeper' | 'definitions'> {
  const ownerLabel = Label.CreatedByClusterManager;
  const kinds = [...renderedKinds.filter((kind) => !absent.includes(kind)), namespaces];
  return {
    keeper: createObjectKeeper({ informers, ownerLabel, fieldManager, kinds }),
    definitions: informers.resource(customResourceDefinitionResource, { labelSelector: ownerLabel }),
  };
}

/** Clusters by ClusterManager: the own one, and those of hosted hubs. */
export interface HubClusters {
  /** Where ClusterManagers are, and all programs of hubs. */
  readonly management: HubCluster;
  /** The cluster that is the hub. It is connected to on the first call. */
  hubOf(clusterManager: ClusterManager): HubCluster;
  /** Ends the connection to a hosted hub. */
  release(name: string): Promise<void>;
  close(): Promise<void>;
}

interface HostedHub extends HubCluster {
  close(): Promise<void>;
}

/** Connects to hubs. `wake` is called with the name of a ClusterManager when something on its hosted hub changed. */
export function createHubClusters(
  deps: HubOperatorDeps,
  informers: Informers,
  objects: NamedObjects,
  wake: (name: string) => void,
): HubClusters {
  const hosted = new Map<string, HostedHub>();
  const unavailable = () => Promise.reject(new Error('the programs of this hub need no address of it'));
  const management = { client: deps.client, ...watchCluster(informers, [endpointSlices]), access: unavailable };
  const release = async (name: string) => {
    const hub = hosted.get(name);
    hosted.delete(name);
    await hub?.close();
  };
  return {
    management,
    hubOf(clusterManager) {
      if (!isHosted(clusterManager)) return management;
      const name = clusterManager.metadata.name ?? '';
      const found = hosted.get(name) ?? connect(deps, objects, hubNamespace(clusterManager), () => wake(name));
      hosted.set(name, found);
      return found;
    },
    release,
    async close() {
      for (const name of [...hosted.keys()]) await release(name);
    },
  };
}

/** By the Secret that the user provides. A new one is used without a restart. */
function connect(deps: HubOperatorDeps, objects: NamedObjects, namespace: string, wake: () => void): HostedHub {
  const { clock, log, metrics } = deps;
  const key = `${namespace}/${SecretName.ExternalHubKubeconfig}`;
  const data = secretData(objects.secret(SecretName.ExternalHubKubeconfig), key);
  const access = secretAccess({ data, origin: `Secret ${key}`, clock, key: DataKey.Kubeconfig });
  const common = { clock, log, ...(metrics && { metrics }) };
  const client = createKubeClient({ ...common, access, fieldManager, userAgent: fieldManager });
  const informers = createInformers({ client, ...common });
  const watched = watchCluster(informers, ofPrograms);
  const subscription: Subscription = merge(watched.keeper.changes, watched.definitions.changes).subscribe(wake);
  return {
    client,
    ...watched,
    access: () => access.current(),
    async close() {
      subscription.unsubscribe();
      informers.close();
      await client.close();
      access.close();
    },
  };
}
