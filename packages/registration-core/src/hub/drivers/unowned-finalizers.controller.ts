import type { ManagedCluster } from '@flotilla/api-types';
import {
  applyConditions,
  type Controller,
  defineController,
  done,
  isDeleting,
  on,
  removeFinalizer,
} from '@flotilla/kube';
import { isRemovalForced } from '../../contract/index.ts';
import { deletionOf, when } from '../changes.ts';
import type { HubDeps } from '../deps.ts';
import { driverDisabled } from './external-permissions.status.ts';
import { externalPermissionsFinalizer, unownedAuthTypes } from './unowned-finalizers.policy.ts';

/**
 * Reports the finalizers of drivers that this hub does not run, and releases them when an administrator forces the removal of their
 * cluster. A timeout releases none: what the driver made outside of the hub stays there.
 */
export function unownedFinalizersController({ clusters, drivers, clock }: HubDeps): Controller {
  const running = new Set(drivers.filter(({ external }) => external).map(({ authType }) => authType));

  const releaseAll = async (cluster: ManagedCluster, authTypes: readonly string[]): Promise<void> => {
    let current: ManagedCluster | undefined = cluster;
    for (const authType of authTypes) {
      if (current) current = await removeFinalizer(clusters, current, externalPermissionsFinalizer(authType));
    }
  };

  return defineController({
    name: 'disabled-driver-permissions',
    watches: [
      on(
        clusters,
        undefined,
        when(
          deletionOf,
          ({ metadata }) => metadata?.finalizers,
          ({ metadata }) => metadata?.annotations,
        ),
      ),
    ],
    async reconcile(name, { log }) {
      const cluster = clusters.get(name);
      const authTypes = cluster ? unownedAuthTypes(cluster, running) : [];
      if (!cluster || authTypes.length === 0) return done;
      if (isDeleting(cluster) && isRemovalForced(cluster)) {
        await releaseAll(cluster, authTypes);
        log.warn('released finalizers of disabled drivers', { cluster: name, drivers: authTypes.join(',') });
        return done;
      }
      const conditions = authTypes.map((authType) => driverDisabled(cluster, authType));
      await applyConditions(clusters, cluster, conditions, { clock, observedGeneration: false });
      return done;
    },
  });
}
