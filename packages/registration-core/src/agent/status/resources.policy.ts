import type { ManagedClusterStatus } from '@flotilla/api-types';
import type { Node } from '@flotilla/kube/kinds';
import { type ResourceList, sameQuantities, sumQuantities } from './quantity.ts';

/** The part of a node that counts, so that heartbeats of nodes cost neither memory nor work. */
export const keepNodeResources = ({ metadata, spec, status }: Node): Node => ({
  metadata: { name: metadata?.name ?? '', resourceVersion: metadata?.resourceVersion ?? '' },
  spec: { ...(spec?.unschedulable && { unschedulable: true }) },
  status: { capacity: status?.capacity ?? {}, allocatable: status?.allocatable ?? {} },
});

/** Version, capacity and allocatable of the cluster. Capacity that others published (sockets, cores) stays. */
export function resourceStatus(
  current: ManagedClusterStatus | undefined,
  nodes: readonly Node[],
  kubernetesVersion: string,
): Pick<ManagedClusterStatus, 'version' | 'capacity' | 'allocatable'> {
  const capacity = { ...current?.capacity, ...sumQuantities(nodes.map(({ status }) => status?.capacity ?? {})) };
  const schedulable = nodes.filter(({ spec }) => !spec?.unschedulable);
  const allocatable = sumQuantities(schedulable.map(({ status }) => status?.allocatable ?? {}));
  return {
    version: { ...current?.version, kubernetes: kubernetesVersion },
    capacity: keep(current?.capacity, capacity),
    allocatable: keep(current?.allocatable, allocatable),
  };
}

/** The old list if it says the same in other words, so that nothing is written. */
const keep = <T extends ResourceList>(old: T | undefined, next: T): T =>
  old && sameQuantities(old, next) ? old : next;
