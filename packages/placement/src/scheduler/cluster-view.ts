import type { ManagedCluster, ManagedClusterTaint } from '@flotilla/api-types';
import { isDeleting } from '@flotilla/kube';
import { quantityAsNumber } from './quantity.ts';

/** What scheduling reads of a cluster, in the form in which it reads it. */
export interface ClusterView {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Claims by name; the last of a name counts. */
  readonly claims: Readonly<Record<string, string>>;
  readonly taints: readonly ManagedClusterTaint[];
  /** Cores and bytes; undefined unless the cluster reports the resource as allocatable and as capacity. */
  readonly cpu: number | undefined;
  readonly memory: number | undefined;
  readonly isDeleting: boolean;
  /** For CEL, which may read all of it. */
  readonly object: ManagedCluster;
}

const none = Object.freeze({});

function allocatable({ status }: ManagedCluster, resource: string): number | undefined {
  const amount = status?.allocatable?.[resource];
  if (amount === undefined || status?.capacity?.[resource] === undefined) return undefined;
  return quantityAsNumber(String(amount));
}

/** The view of a cluster. */
export function clusterView(object: ManagedCluster): ClusterView {
  const { metadata, spec, status } = object;
  const claims = status?.clusterClaims ?? [];
  return {
    name: metadata?.name ?? '',
    labels: metadata?.labels ?? none,
    claims: claims.length === 0 ? none : Object.fromEntries(claims.map(({ name = '', value = '' }) => [name, value])),
    taints: spec?.taints ?? [],
    cpu: allocatable(object, 'cpu'),
    memory: allocatable(object, 'memory'),
    isDeleting: isDeleting(object),
    object,
  };
}
