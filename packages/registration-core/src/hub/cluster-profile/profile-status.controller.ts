import { type ClusterProfile, ControllerName, LogReason, ManagedClusterCondition } from '@flotilla/api-types';
import { type CachedResource, type Controller, defineController, done, keyOf, on } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import { conditionOf, labelsOf, when } from '../changes.ts';
import type { HubDeps } from '../deps.ts';
import { clusterOfProfile, isManagedHere, profileLabelChanges, profileStatus } from './profile.policy.ts';

/** Profiles by the cluster that they show. */
export const byClusterName = 'by-cluster-name';

/** Fills the profiles of a cluster from its status. */
export const profileStatusController = (
  { clusters, clock }: HubDeps,
  profiles: CachedResource<ClusterProfile>,
): Controller =>
  defineController({
    name: ControllerName.ClusterProfileStatus,
    isOptional: true,
    watches: [
      on(
        clusters,
        undefined,
        when(
          labelsOf,
          ({ status }) => [status?.version, status?.clusterClaims],
          conditionOf(ManagedClusterCondition.Available),
          conditionOf(ManagedClusterCondition.Joined),
        ),
      ),
      on(profiles, clusterOfProfile),
    ],
    async reconcile(name, { log }) {
      const cluster = clusters.get(name);
      if (!cluster) return done;
      for (const profile of profiles.byIndex(byClusterName, name).filter(isManagedHere)) {
        const status = profileStatus(profile, cluster, clock.now());
        const labels = profileLabelChanges(profile, cluster);
        const key = keyOf(profile);
        if (!semanticEqual(status, profile.status ?? { conditions: [], properties: [] })) {
          await profiles.status.patch(key, { type: 'merge', body: { status } });
          log.info('a profile follows its cluster', { reason: LogReason.ClusterProfileStatusUpdated, profile: key });
        }
        if (Object.keys(labels).length > 0) {
          await profiles.patch(key, { type: 'merge', body: { metadata: { labels } } });
        }
      }
      return done;
    },
  });
