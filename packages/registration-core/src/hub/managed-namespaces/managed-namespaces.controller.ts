import { ControllerName, LogReason, type ManagedClusterSet } from '@flotilla/api-types';
import { type Controller, defineController, done, isDeleting, keyOf, on } from '@flotilla/kube';
import { deletionOf, labelsOf, patchOnConflict, when } from '../changes.ts';
import type { HubDeps } from '../deps.ts';
import { membersOf, setsOf } from '../sets/membership.ts';
import { managedNamespacesOf, statusSetIndex } from './managed-namespaces.policy.ts';

/** Lists in the status of each cluster the namespaces that its sets manage there, for its agent to make. */
export function managedNamespacesController({ clusters, sets }: HubDeps): Controller {
  const clustersOf = (set: ManagedClusterSet): string[] => {
    const former = clusters.byIndex(statusSetIndex, set.metadata?.name ?? '').map(keyOf);
    try {
      return [...former, ...membersOf(clusters, set).map(keyOf)];
    } catch {
      // A set that cannot be understood has no members; its own status says why.
      return former;
    }
  };
  return defineController({
    name: ControllerName.ManagedNamespace,
    watches: [
      on(clusters, undefined, when(labelsOf)),
      on(
        sets,
        clustersOf,
        when(deletionOf, ({ spec }: ManagedClusterSet) => spec),
      ),
    ],
    async reconcile(name, { log }) {
      const cluster = clusters.get(name);
      if (!cluster || isDeleting(cluster)) return done;
      const write = clusters.status.patch.bind(clusters.status);
      const written = await patchOnConflict(clusters, write, cluster, (current) => {
        const managedNamespaces = managedNamespacesOf(current, setsOf(sets, current));
        return managedNamespaces && { status: { managedNamespaces } };
      });
      if (written) {
        const total = written.status?.managedNamespaces?.length ?? 0;
        const reason = LogReason.ManagedNamespacesUpdated;
        log.info(`Updated managed namespaces for cluster "${name}" (total: ${total})`, { reason });
      }
      return done;
    },
  });
}
