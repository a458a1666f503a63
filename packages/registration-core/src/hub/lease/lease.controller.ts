import { ControllerName, Label, LeaseName, type ManagedCluster, ManagedClusterCondition } from '@flotilla/api-types';
import {
  after,
  applyConditions,
  type Controller,
  defineController,
  done,
  findCondition,
  isConditionTrue,
  isDeleting,
  KubeError,
  on,
} from '@flotilla/kube';
import type { MonotonicTime } from '@flotilla/kube/clock';
import { formatMicroTime } from '@flotilla/kube/meta';
import { conditionOf, deletionOf, when } from '../changes.ts';
import type { HubDeps } from '../deps.ts';
import { clusterOfLease, type Heartbeats, isLabelled, leaseKeyOf } from './heartbeats.ts';
import { evaluateHeartbeat, graceOf } from './lease.policy.ts';
import { unknown, unknownEvent } from './lease.status.ts';

/**
 * Marks clusters whose leases are not renewed. Renewals do not wake it: it sets a timer for the moment at which a lease would be
 * overdue, and then checks whether it was renewed meanwhile.
 */
export function leaseController(deps: HubDeps, heartbeats: Heartbeats): Controller {
  const { clusters, leases, clock, recorder } = deps;
  const { leaseGraceFactor: factor } = deps.options;
  let blindAt: MonotonicTime | undefined;

  const markUnknown = async (name: string, cluster: ManagedCluster): Promise<void> => {
    if (findCondition(cluster.status?.conditions, unknown.type)?.status === 'Unknown') return;
    const { written } = await applyConditions(clusters, cluster, [unknown], { clock, observedGeneration: false });
    if (written) recorder.record(cluster, unknownEvent(name));
  };

  /** Marks a cluster that is silent for too long. Gives the time until the next check. */
  const checkSilence = async (name: string, cluster: ManagedCluster): Promise<number> => {
    // A missing renewal counts only while the hub can observe leases.
    if (leases.lastError) {
      blindAt = clock.monotonic();
      return graceOf(cluster, 1);
    }
    // A lease that is not there, or has other labels, is silence too.
    const beat = heartbeats.of(name) ?? heartbeats.begin(name);
    const time = { monotonic: clock.monotonic(), blindAt };
    const decision = evaluateHeartbeat(cluster, beat, time, factor);
    if (decision.expired) {
      if (isConditionTrue(cluster.status?.conditions, unknown.type)) heartbeats.flapped(name, decision.flaps);
      await markUnknown(name, cluster);
    }
    return decision.nextCheckMs;
  };

  return defineController({
    name: ControllerName.ManagedClusterLease,
    watches: watchesOf(deps, heartbeats),
    async reconcile(name) {
      const cluster = clusters.get(name);
      if (!cluster) heartbeats.forget(name);
      if (!cluster || !findCondition(cluster.status?.conditions, ManagedClusterCondition.HubAccepted)) return done;
      const lease = leases.get(leaseKeyOf(name));
      const isSeen = lease !== undefined && isLabelled(lease);
      if (!isSeen && isDeleting(cluster)) {
        await markUnknown(name, cluster);
        return done;
      }
      const nextCheckMs = await checkSilence(name, cluster);
      if (!isSeen) await createLease(deps, name);
      return after(nextCheckMs, 'the next heartbeat is due');
    },
  });
}

const watchesOf = ({ clusters, leases }: HubDeps, heartbeats: Heartbeats) => [
  on(
    clusters,
    undefined,
    when(
      deletionOf,
      ({ spec }) => spec?.leaseDurationSeconds,
      conditionOf(ManagedClusterCondition.HubAccepted),
      conditionOf(ManagedClusterCondition.Available),
    ),
  ),
  on(leases, clusterOfLease, (change) => {
    heartbeats.observe(change);
    return change.type !== 'updated' || !isLabelled(change.object);
  }),
];

async function createLease({ leases, clock }: HubDeps, name: string): Promise<void> {
  const metadata = { name: LeaseName.ManagedCluster, namespace: name, labels: { [Label.ClusterName]: name } };
  const spec = { holderIdentity: LeaseName.ManagedCluster, renewTime: formatMicroTime(clock.now()) };
  try {
    await leases.create({ metadata, spec });
  } catch (error) {
    if (!KubeError.is(error, 'AlreadyExists')) throw error;
    // Its labels are not those of a heartbeat lease: the cache does not have it, or its heartbeats do not count.
    const body = { metadata: { labels: { ...metadata.labels, [Label.AddOnName]: null } } };
    await leases.patch(leaseKeyOf(name), { type: 'merge', body });
  }
}
