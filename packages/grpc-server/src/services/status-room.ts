import type { ManifestWork } from '@flotilla/api-types';
import type { CachedResource } from '@flotilla/kube';
import type { ClusterBudget } from '../budget/cluster-budget.ts';
import { largeStatusBytes } from '../limits.ts';
import { clusterIndex } from './feed.ts';

/** By status, which never changes in place. */
const sizes = new WeakMap<object, number>();

/**
 * Throws `TooManyRequests` if a report is large and the other large statuses of the cluster leave no room for it: how many works a cluster has
 * is for the hub to say, and how large their statuses are for the cluster.
 */
export function requireRoom(
  budget: ClusterBudget,
  cache: Pick<CachedResource<ManifestWork>, 'byIndex'>,
  work: ManifestWork | undefined,
  bytes: number,
): void {
  if (bytes <= largeStatusBytes) return;
  let large = bytes;
  for (const { metadata, status } of cache.byIndex(clusterIndex, work?.metadata?.namespace ?? '')) {
    if (!status || metadata?.uid === work?.metadata?.uid) continue;
    const size = sizes.get(status) ?? JSON.stringify(status).length;
    sizes.set(status, size);
    if (size > largeStatusBytes) large += size;
  }
  budget.require('largeStatusBytes', large);
}
