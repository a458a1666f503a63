import type { ManagedCluster } from '@flotilla/api-types';
import {
  after,
  type CachedResource,
  type Clock,
  type Controller,
  defineController,
  done,
  type KubeClient,
  on,
} from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import { TokenBucket } from '@flotilla/kube/transport';
import { ensureManagedCluster } from './ensure-managed-cluster.ts';
import { isAccepted } from './is-accepted.ts';
import { type ClusterDescription, describeCluster } from './managed-cluster.policy.ts';

/** Options of the controller of the agent's own ManagedCluster, while one connection to the hub lasts. */
export interface ManagedClusterOptions {
  readonly hub: KubeClient;
  readonly clusters: CachedResource<ManagedCluster>;
  readonly description: ClusterDescription;
  readonly clock: Clock;
}

/** Permissions reach the authorizer of the hub a moment after the cluster was accepted. */
const refusedMs = 60_000;

/** How often the agent writes against another writer that reverts it each time. */
const maxWritesPerMinute = 3;

/** The parts of a ManagedCluster that the agent writes. */
type Written = Pick<ManagedCluster, 'spec'> & { readonly annotations: Readonly<Record<string, string>> | undefined };

const writtenOf = ({ metadata, spec }: ManagedCluster): Written => ({ annotations: metadata?.annotations, spec });

/** Keeps on the ManagedCluster what the agent reports there: annotations of its prefix and the addresses of the cluster. */
export function managedClusterController({ hub, clusters, description, clock }: ManagedClusterOptions): Controller {
  /**
   * What the hub answered an update with that was not as written. A gRPC server of OCM keeps less than it is given, so it is not
   * written again until it changes; over gRPC it may also be an earlier change of somebody else.
   */
  let incomplete: Written | undefined;
  let isPaused = false;
  const writes = new TokenBucket(maxWritesPerMinute / 60, maxWritesPerMinute, clock.monotonic());
  return defineController({
    name: 'managed-cluster',
    watches: [on(clusters)],
    async reconcile(key, { signal, log }) {
      const cached = clusters.get(key);
      if (!cached) return done;
      if (describeCluster(cached, description) === cached) {
        incomplete = undefined;
        return done;
      }
      if (incomplete && semanticEqual(writtenOf(cached), incomplete)) return done;
      const waitMs = writes.waitMs(clock.monotonic());
      if (waitMs > 0) {
        if (!isPaused) log.warn('another writer keeps changing the ManagedCluster', { cluster: key });
        isPaused = true;
        return after(waitMs, 'the agent writes a few times a minute');
      }
      isPaused = false;
      const outcome = await ensureManagedCluster(hub, description, { log, signal });
      if (outcome.kind === 'refused' && isAccepted(cached))
        return after(refusedMs, 'the hub may permit the update then');
      if (outcome.kind === 'updated') {
        // Only a write that the hub took: attempts during an outage say nothing about other writers.
        writes.take(clock.monotonic());
        const isComplete = describeCluster(outcome.cluster, description) === outcome.cluster;
        incomplete = isComplete ? undefined : writtenOf(outcome.cluster);
      }
      return done;
    },
  });
}
