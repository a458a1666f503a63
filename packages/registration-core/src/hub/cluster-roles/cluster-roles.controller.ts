import { ControllerName } from '@flotilla/api-types';
import { type Controller, defineController, done, keyOf, on } from '@flotilla/kube';
import { ensure, ensureAbsent } from '../apply.ts';
import type { HubDeps } from '../deps.ts';
import { commonClusterRoles } from './cluster-roles.policy.ts';

const key = 'common-cluster-roles';

/** Keeps the roles that all clusters share, as long as there is a cluster. */
export function clusterRolesController({ clusters, clusterRoles, options }: HubDeps): Controller {
  const roles = commonClusterRoles(options.labels);
  const names = new Set(roles.map(keyOf));
  return defineController({
    name: ControllerName.ManagedClusterClusterRole,
    watches: [
      on(
        clusters,
        () => key,
        ({ type }) => type !== 'updated',
      ),
      on(
        clusterRoles,
        () => key,
        (change) => names.has(change.key),
      ),
    ],
    async reconcile() {
      for (const role of roles) {
        if (clusters.size > 0) await ensure(clusterRoles, role);
        else await ensureAbsent(clusterRoles, keyOf(role));
      }
      return done;
    },
  });
}
