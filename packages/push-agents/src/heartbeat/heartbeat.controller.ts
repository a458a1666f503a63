import { LeaseName, type ManagedCluster, ManagedClusterCondition } from '@flotilla/api-types';
import {
  after,
  type CachedResource,
  type Clock,
  type Controller,
  defineController,
  done,
  isConditionTrue,
  on,
} from '@flotilla/kube';
import { type MonotonicTime, msBetween, timeAfter } from '@flotilla/kube/clock';
import type { Lease } from '@flotilla/kube/kinds';
import { isRenewedByAgent, withHeartbeat } from './heartbeat.policy.ts';

/** What the heartbeat of a pushed cluster needs. */
export interface HeartbeatOptions {
  readonly clusterName: string;
  readonly clusters: CachedResource<ManagedCluster>;
  /** The leases in the namespace of the cluster. */
  readonly leases: CachedResource<Lease>;
  /** Called when an agent on the member sends heartbeats: the cluster is not pushed any more. */
  readonly onAgent: () => Promise<void>;
  readonly clock: Clock;
  readonly random: () => number;
}

const defaultSeconds = 60;
const jitter = 0.25;
const backoff = { baseMs: 1000, maxMs: 10_000 };

/** Renews the lease of an accepted cluster, so that the hub notices if no replica of push-agents takes care of it. */
export function heartbeatController(options: HeartbeatOptions): Controller {
  const { clusterName, clusters, leases, onAgent, clock, random } = options;
  const key = `${clusterName}/${LeaseName.ManagedCluster}`;
  let schedule: { readonly seconds: number; readonly nextAt: MonotonicTime } | undefined;
  return defineController({
    name: 'pushed-heartbeat',
    watches: [
      on(clusters),
      on(
        leases,
        () => clusterName,
        ({ key: changed }) => changed === key,
      ),
    ],
    backoff,
    async reconcile(name, { signal }) {
      const cluster = clusters.get(name);
      const lease = leases.get(key);
      if (!cluster || !lease || !isConditionTrue(cluster.status?.conditions, ManagedClusterCondition.HubAccepted)) {
        schedule = undefined;
        return done;
      }
      if (isRenewedByAgent(lease)) {
        await onAgent();
        return done;
      }
      const seconds = cluster.spec?.leaseDurationSeconds || defaultSeconds;
      if (schedule?.seconds !== seconds || schedule.nextAt <= clock.monotonic()) {
        // With the version of the cache: what an agent wrote meanwhile is a conflict, and is seen in the next round.
        await leases.replace(withHeartbeat(lease, clock.now()), { signal, priority: 'critical' });
        schedule = { seconds, nextAt: timeAfter(clock.monotonic(), seconds * 1000 * (1 + jitter * random())) };
      }
      return after(msBetween(clock.monotonic(), schedule.nextAt), 'next heartbeat');
    },
  });
}
