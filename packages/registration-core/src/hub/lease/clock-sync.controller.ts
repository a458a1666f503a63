import { ControllerName, LogReason } from '@flotilla/api-types';
import { applyConditions, type Controller, defineController, done, findCondition, on } from '@flotilla/kube';
import type { HubDeps } from '../deps.ts';
import { isClockSynced } from './clock-sync.policy.ts';
import { clockStatus } from './clock-sync.status.ts';
import { clusterOfLease, type Heartbeats } from './heartbeats.ts';

/** Says whether the clocks of hub and cluster agree, by each heartbeat. */
export const clockSyncController = ({ clusters, leases, clock }: HubDeps, heartbeats: Heartbeats): Controller =>
  defineController({
    name: ControllerName.ClockSync,
    watches: [on(leases, clusterOfLease, (change) => heartbeats.observe(change))],
    reads: [clusters],
    async reconcile(name, { log }) {
      const cluster = clusters.get(name);
      const beat = heartbeats.of(name);
      if (!cluster || !beat?.witnessed) return done;
      const condition = clockStatus(isClockSynced(cluster, beat));
      if (findCondition(cluster.status?.conditions, condition.type)?.status === condition.status) return done;
      const { written } = await applyConditions(clusters, cluster, [condition], { clock });
      if (written) log.info(condition.message, { reason: LogReason.ClockSyncedConditionUpdated });
      return done;
    },
  });
