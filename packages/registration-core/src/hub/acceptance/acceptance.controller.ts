import { ControllerName, Label, type ManagedCluster, ManagedClusterCondition } from '@flotilla/api-types';
import { type Controller, defineController, done, type Logger, on } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import { conditionOf, when } from '../changes.ts';
import type { HubDeps } from '../deps.ts';
import { holderOf, identitiesOf, isPreceded, sharersOf } from '../identity/identity.policy.ts';
import { accept, autoAccept, deny, refuseName, remove, removePermissions } from './acceptance.phases.ts';
import { type AcceptanceFacts, decide, isAutoAcceptable } from './acceptance.policy.ts';
import { permissionKeys } from './permissions.ts';

/** Accepts, denies and removes clusters: their namespace, and their permissions on the hub. */
export const acceptanceController = (deps: HubDeps): Controller =>
  defineController({
    name: ControllerName.ManagedCluster,
    watches: watchesOf(deps),
    async reconcile(name, { log }) {
      const cluster = deps.clusters.get(name);
      if (cluster) await act(deps, name, cluster, log);
      else await removePermissions(deps, name, true);
      return done;
    },
  });

async function act(deps: HubDeps, name: string, cluster: ManagedCluster, log: Logger): Promise<void> {
  switch (decide(cluster, factsAbout(deps, name, cluster))) {
    case 'remove':
      return remove(deps, name, cluster);
    case 'auto-accept':
      return autoAccept(deps, name, cluster);
    case 'accept':
      return accept(deps, name, cluster, log);
    case 'deny':
      return deny(deps, name, cluster, log);
    case 'refuse-name':
      return refuseName(deps, name, cluster);
    case 'wait':
    case 'refuse-identity':
      return;
  }
}

function factsAbout(deps: HubDeps, name: string, cluster: ManagedCluster): AcceptanceFacts {
  const { clusters, clusterRoles, drivers, gates } = deps;
  const { duplicateIdentity } = deps.options;
  const comparesIdentities = duplicateIdentity !== 'allow';
  return {
    autoApproval: gates.ManagedClusterAutoApproval ?? false,
    drivers,
    duplicateIdentity,
    holder: comparesIdentities ? holderOf(clusters, cluster) : undefined,
    isPreceded: comparesIdentities && isPreceded(clusters, cluster, (other) => isAutoAcceptable(other, drivers)),
    hasRole: clusterRoles.get(permissionKeys(name).clusterRole) !== undefined,
  };
}

function watchesOf({ clusters, namespaces, clusterRoles, clusterRoleBindings, roleBindings, works }: HubDeps) {
  return [
    on(
      clusters,
      sharersOf(clusters),
      when(
        ({ metadata }) => [metadata?.deletionTimestamp, metadata?.finalizers, metadata?.annotations],
        ({ spec }) => spec?.hubAcceptsClient,
        conditionOf(ManagedClusterCondition.HubAccepted),
        conditionOf(ManagedClusterCondition.Joined),
        identitiesOf,
      ),
    ),
    on(namespaces, clusterOfLabel),
    on(clusterRoles, clusterOfLabel),
    on(clusterRoleBindings, clusterOfLabel),
    on(roleBindings, clusterOfLabel),
    // A binding that waits for works is released by the last of them.
    {
      ...on(
        works,
        ({ metadata }: KubeObject) => metadata?.namespace,
        ({ type }) => type === 'deleted',
      ),
      whenSynced: async () => {},
    },
  ];
}

const clusterOfLabel = ({ metadata }: KubeObject): string | undefined =>
  metadata?.labels?.[Label.ClusterName] || undefined;
