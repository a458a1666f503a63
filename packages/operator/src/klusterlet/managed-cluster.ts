import { FieldManager, Label, NamespaceName, SecretName } from '@flotilla/api-types';
import type { CachedResource, Informers, KubeClient, ObjectKey } from '@flotilla/kube';
import {
  clusterRoleBindings,
  clusterRoles,
  deployments,
  type Namespace,
  namespaces,
  roleBindings,
  roles,
  type Secret,
  secrets,
  serviceAccounts,
} from '@flotilla/kube/kinds';
import { type CustomResourceDefinition, customResourceDefinitionResource } from '@flotilla/schema/define';
import { map, merge, mergeMap, type Observable } from 'rxjs';
import { createObjectKeeper, type ObjectKeeper } from '../apply/index.ts';
import { definitionNames } from './render/definitions.ts';

/** Of the objects where agents run, in the order in which they are removed. Namespaces are removed by themselves, and last. */
export const managementKinds = [
  deployments,
  roleBindings,
  roles,
  clusterRoleBindings,
  clusterRoles,
  serviceAccounts,
] as const;

/** Of the objects on a managed cluster that agents of elsewhere manage. */
export const managedKinds = [clusterRoleBindings, clusterRoles, serviceAccounts] as const;

/** A cluster with objects of klusterlets: the one of the operator, or one that hosted agents manage. */
export interface KlusterletCluster {
  readonly client: KubeClient;
  readonly keeper: ObjectKeeper;
  /** Those of agents, whoever made them. */
  readonly definitions: Pick<CachedResource<CustomResourceDefinition>, 'get' | 'find' | 'create' | 'replace' | 'patch'>;
  /** Those of klusterlets. */
  readonly namespaces: CachedResource<Namespace>;
  /** That of add-ons, which klusterlets of one cluster share. */
  readonly addOnNamespace: CachedResource<Namespace>;
  /** Image pull secrets, with which all pods of agents and add-ons start. */
  readonly pullSecrets: CachedResource<Secret>;
  /** Names of klusterlets whose objects have changed. An empty name is about all klusterlets. */
  readonly changes: Observable<ObjectKey>;
  whenSynced(options?: { signal?: AbortSignal; timeoutMs?: number }): Promise<void>;
}

/** Watches the objects of klusterlets on a cluster. */
export function watchCluster(
  client: KubeClient,
  informers: Informers,
  kinds: typeof managementKinds | typeof managedKinds,
): KlusterletCluster {
  const keeper = createObjectKeeper({
    informers,
    ownerLabel: Label.CreatedByKlusterlet,
    fieldManager: FieldManager.Klusterlet,
    kinds: [...kinds, namespaces],
  });
  const ofKlusterlets = informers.resource(namespaces, { labelSelector: Label.KlusterletNamespace });
  const ofAddOns = informers.resource(namespaces, { fieldSelector: `metadata.name=${NamespaceName.AgentAddOn}` });
  const pullSecrets = informers.resource(secrets, {
    fieldSelector: `metadata.name=${SecretName.ImagePullCredentials}`,
  });
  const ownerOf = ({ metadata }: Namespace): string[] => {
    const owner = metadata?.labels?.[Label.KlusterletNamespace];
    return owner === undefined ? [] : [owner];
  };
  const definitions = Object.values(definitionNames).map((name) =>
    informers.resource(customResourceDefinitionResource, { fieldSelector: `metadata.name=${name}` }),
  );
  return {
    client,
    keeper,
    definitions: {
      ...client.resource(customResourceDefinitionResource),
      get: (key) => definitions.find((cache) => cache.has(key))?.get(key),
    },
    namespaces: ofKlusterlets,
    addOnNamespace: ofAddOns,
    pullSecrets,
    changes: merge(
      keeper.changes,
      ofKlusterlets.changes.pipe(mergeMap(({ object }) => ownerOf(object))),
      merge(ofAddOns.changes, pullSecrets.changes, ...definitions.map(({ changes }) => changes)).pipe(map(() => '')),
    ),
    async whenSynced(options) {
      await Promise.all(
        [keeper, ofKlusterlets, ofAddOns, pullSecrets, ...definitions].map((one) => one.whenSynced(options)),
      );
    },
  };
}
