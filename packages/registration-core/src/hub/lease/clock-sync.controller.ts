import { ControllerName, LogReason, type ManagedCluster } from '@flotilla/api-types';
import {
  applyConditions,
  type ConditionInput,
  type Controller,
  defineController,
  done,
  findCondition,
  on,
} from '@flotilla/kube';
import type { HubDeps } from '../deps.ts';
import { isClockSynced } from './clock-sync.policy.ts';
import { clockStatus } from './clock-sync.status.ts';
import { clusterOfLease, type Heartbeats } from './heartbeats.ts';

/** Reports whether the clocks of hub and cluster agree, by each heartbeat. */
export function clockSyncController({ clusters, leases, clock }: HubDeps, heartbeats: Heartbeats): Controller {
  /** What the last heartbeat shows, if the cluster does not report it yet. */
  const changeOf = (name: string): { cluster: ManagedCluster; condition: ConditionInput } | undefined => {
    const cluster = clusters.get(name);
    const beat = heartbeats.of(name);
    if (!cluster || !beat?.witnessed) return undefined;
    const condition = clockStatus(isClockSynced(cluster, beat));
    const reported = findCondition(cluster.status?.conditions, condition.type)?.status;
    return reported === condition.status ? undefined : { cluster, condition };
  };

  return defineController({
    name: ControllerName.ClockSync,
    // Nothing waits for this condition: when many clusters join at once, their agents and taints go first.
    concurrency: 1,
    watches: [
      // Almost every heartbeat of a large fleet changes nothing, so it is checked before it is queued.
      on(
        leases,
        clusterOfLease,
        (change) => heartbeats.observe(change) && changeOf(clusterOfLease(change.object) ?? '') !== undefined,
      ),
    ],
    reads: [clusters],
    async reconcile(name, { log }) {
      const change = changeOf(name);
      if (!change) return done;
      const { cluster, condition } = change;
      const { written } = await applyConditions(clusters, cluster, [condition], { clock, observedGeneration: false });
      if (written) log.info(condition.message, { reason: LogReason.ClockSyncedConditionUpdated });
      return done;
    },
  });
}
