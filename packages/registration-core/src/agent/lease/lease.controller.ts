import { LeaseName, LogReason, type ManagedCluster, ManagedClusterCondition } from '@flotilla/api-types';
import {
  after,
  type CachedResource,
  type Clock,
  type Controller,
  defineController,
  done,
  isConditionTrue,
  type KubeClient,
  KubeError,
  on,
} from '@flotilla/kube';
import { type MonotonicTime, msBetween, timeAfter } from '@flotilla/kube/clock';
import { type Lease, leases } from '@flotilla/kube/kinds';
import { formatMicroTime } from '@flotilla/kube/meta';

/** What the heartbeat needs. */
export interface LeaseControllerOptions {
  readonly hub: KubeClient;
  readonly clusters: CachedResource<ManagedCluster>;
  readonly clusterName: string;
  /** Called each time the hub accepted a heartbeat. */
  readonly onBeat: () => void;
  readonly clock: Clock;
  readonly random: () => number;
}

const defaultSeconds = 60;
const jitter = 0.25;
/** A missed beat is tried again long before the hub would notice. */
const backoff = { baseMs: 1000, maxMs: 10_000 };

/** Renews the lease of the cluster on the hub while it is accepted; the hub made it, and calls the cluster unknown if it grows old. */
export function leaseController(options: LeaseControllerOptions): Controller {
  const { hub, clusters, clusterName, onBeat, clock, random } = options;
  const key = `${clusterName}/${LeaseName.ManagedCluster}`;
  const handle = hub.resource(leases);
  /** As the hub last answered it: saves reading it before each beat. */
  let known: Lease | undefined;
  /** By the monotonic clock: a wall clock that is set must not silence the cluster. */
  let schedule: { readonly seconds: number; readonly nextAt: MonotonicTime } | undefined;

  const beat = async (signal: AbortSignal): Promise<void> => {
    const call = { signal, priority: 'critical' } as const;
    const lease = known ?? (await handle.get(key, call));
    known = undefined;
    const renewed = { ...lease, spec: { ...lease.spec, renewTime: formatMicroTime(clock.now()) } };
    try {
      known = await handle.replace(renewed, call);
    } catch (error) {
      if (!KubeError.is(error, 'Conflict')) throw error;
      const fresh = await handle.get(key, call);
      known = await handle.replace({ ...fresh, spec: { ...fresh.spec, renewTime: renewed.spec.renewTime } }, call);
    }
  };

  return defineController({
    name: 'cluster-lease',
    watches: [on(clusters)],
    backoff,
    async reconcile(name, { signal, log }) {
      const cluster = clusters.get(name);
      if (!cluster || !isConditionTrue(cluster.status?.conditions, ManagedClusterCondition.HubAccepted)) {
        if (schedule) log.info('stopped the heartbeat', { event: LogReason.LeaseUpdateStopped });
        schedule = undefined;
        known = undefined;
        return done;
      }
      const seconds = cluster.spec?.leaseDurationSeconds || defaultSeconds;
      if (!schedule) log.info('started the heartbeat', { event: LogReason.LeaseUpdateStarted, seconds });
      if (schedule?.seconds !== seconds || schedule.nextAt <= clock.monotonic()) {
        await beat(signal);
        onBeat();
        schedule = { seconds, nextAt: timeAfter(clock.monotonic(), seconds * 1000 * (1 + jitter * random())) };
      }
      return after(msBetween(clock.monotonic(), schedule.nextAt), 'next heartbeat');
    },
  });
}
