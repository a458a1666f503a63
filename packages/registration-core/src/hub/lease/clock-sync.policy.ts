import type { ManagedCluster } from '@flotilla/api-types';
import type { Heartbeat } from './heartbeats.ts';
import { graceOf } from './lease.policy.ts';

/** OCM's window, whatever the grace period of the hub is. */
const windowFactor = 5;

/** Whether the clock of a cluster agrees with the hub's: the time in a heartbeat against that of its arrival. */
export function isClockSynced(cluster: ManagedCluster, { renewedAt, seenAt }: Heartbeat): boolean {
  return renewedAt !== undefined && Math.abs(seenAt - renewedAt) < graceOf(cluster, windowFactor);
}
