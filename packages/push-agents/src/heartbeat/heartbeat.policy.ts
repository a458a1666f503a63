import type { EpochMs } from '@flotilla/kube/clock';
import type { Lease } from '@flotilla/kube/kinds';
import { formatMicroTime } from '@flotilla/kube/meta';
import { pushedRenewalAnnotation } from '@flotilla/registration-core/push';

/** Whether an agent on the member has renewed the lease since push-agents did. The hub creates the lease, with any time. */
export function isRenewedByAgent({ metadata, spec }: Lease): boolean {
  const ours = metadata?.annotations?.[pushedRenewalAnnotation];
  return ours !== undefined && spec?.renewTime !== undefined && spec.renewTime !== ours;
}

/** The lease with a heartbeat of push-agents. */
export function withHeartbeat(lease: Lease, now: EpochMs): Lease {
  const renewTime = formatMicroTime(now);
  const annotations = { ...lease.metadata?.annotations, [pushedRenewalAnnotation]: renewTime };
  return { ...lease, metadata: { ...lease.metadata, annotations }, spec: { ...lease.spec, renewTime } };
}
