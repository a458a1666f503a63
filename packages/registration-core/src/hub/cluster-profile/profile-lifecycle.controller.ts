import {
  type ClusterProfile,
  ControllerName,
  type ManagedCluster,
  type ManagedClusterSet,
  ManagedClusterSetBindingCondition,
} from '@flotilla/api-types';
import {
  type CachedResource,
  type Controller,
  defineController,
  done,
  isConditionTrue,
  isDeleting,
  KubeError,
  keyOf,
  on,
} from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { deletionOf, labelsOf, when } from '../changes.ts';
import { byNamespace, bySet, type HubDeps } from '../deps.ts';
import { membersOf, setsOf } from '../sets/membership.ts';
import { isOurs, newProfile } from './profile.policy.ts';

/** Keeps a profile of each cluster in the namespaces that its sets are bound to. */
export function profileLifecycleController(deps: HubDeps, profiles: CachedResource<ClusterProfile>): Controller {
  const { client, clusters, sets, bindings } = deps;
  const namespacesOfSet = ({ metadata }: ManagedClusterSet): string[] =>
    bindings.byIndex(bySet, metadata?.name ?? '').map((binding) => binding.metadata?.namespace ?? '');
  const namespacesOfCluster = (cluster: ManagedCluster): string[] => [
    ...new Set(setsOf(sets, cluster).flatMap(namespacesOfSet)),
  ];

  return defineController({
    name: ControllerName.ClusterProfileLifecycle,
    isOptional: true,
    watches: [
      on(bindings, ({ metadata }) => metadata?.namespace),
      on(
        sets,
        namespacesOfSet,
        when(deletionOf, ({ spec }: ManagedClusterSet) => spec),
      ),
      on(clusters, namespacesOfCluster, when(labelsOf, deletionOf)),
      on(
        profiles,
        ({ metadata }) => metadata?.namespace,
        ({ type }) => type !== 'updated',
      ),
    ],
    async reconcile(namespace, { log }) {
      const wanted = visibleIn(deps, namespace);
      const present = profiles.byIndex(byNamespace, namespace);
      const stale = present.filter((profile) => isOurs(profile) && !wanted.has(profile.metadata?.name ?? ''));
      for (const profile of stale) if (!isDeleting(profile)) await profiles.delete(keyOf(profile));
      const missing = [...wanted].filter((name) => !profiles.has(`${namespace}/${name}`));
      if (missing.length === 0 || !(await isReady(client, namespace))) return done;
      for (const name of missing.sort()) {
        try {
          await profiles.create(newProfile(namespace, name));
        } catch (error) {
          if (!KubeError.is(error, 'AlreadyExists')) throw error;
          // Of another manager, or created meanwhile: its event enqueues it again, and a retry would change nothing.
          log.warn('a ClusterProfile of this name is there already', { cluster: name });
        }
      }
      return done;
    },
  });
}

/** The clusters that a namespace may see. */
function visibleIn({ bindings, sets, clusters }: HubDeps, namespace: string): Set<string> {
  const bound = bindings
    .byIndex(byNamespace, namespace)
    .filter(({ status }) => isConditionTrue(status?.conditions, ManagedClusterSetBindingCondition.Bound));
  const members = bound.flatMap(({ spec }) => {
    const set = sets.get(spec?.clusterSet ?? '');
    return set ? membersOrNone(clusters, set) : [];
  });
  return new Set(members.filter((cluster) => !isDeleting(cluster)).map(keyOf));
}

function membersOrNone(clusters: HubDeps['clusters'], set: ManagedClusterSet): ManagedCluster[] {
  try {
    return membersOf(clusters, set);
  } catch {
    // Its own status says what is wrong with it.
    return [];
  }
}

async function isReady(client: HubDeps['client'], namespace: string): Promise<boolean> {
  const found = await client.resource(namespaces).find(namespace);
  return found !== undefined && found.status?.phase !== 'Terminating' && !isDeleting(found);
}
