import { ControllerName, LogReason, ManagedClusterCondition } from '@flotilla/api-types';
import { type Controller, defineController, done, isDeleting, on } from '@flotilla/kube';
import { conditionOf, patchOnConflict, when } from '../changes.ts';
import type { HubDeps } from '../deps.ts';
import { taintsFor } from './taint.policy.ts';

/** Taints clusters that are not available, so that placements avoid them. */
export const taintController = ({ clusters }: HubDeps): Controller =>
  defineController({
    name: ControllerName.Taint,
    // When many clusters join at once, their agents need the API server first. Two writes at a time leave it to them.
    concurrency: 2,
    watches: [
      on(
        clusters,
        undefined,
        when(({ spec }) => spec?.taints, conditionOf(ManagedClusterCondition.Available)),
      ),
    ],
    async reconcile(name, { log }) {
      const cluster = clusters.get(name);
      if (!cluster) return done;
      const written = await patchOnConflict(clusters, clusters.patch.bind(clusters), cluster, (current) => {
        const taints = isDeleting(current) ? undefined : taintsFor(current);
        return taints && { spec: { taints } };
      });
      if (written) log.info('taints follow availability', { reason: LogReason.AvailableConditionUpdated });
      return done;
    },
  });
