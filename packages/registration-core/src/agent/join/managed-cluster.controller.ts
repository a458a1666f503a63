import type { ManagedCluster } from '@flotilla/api-types';
import {
  after,
  type CachedResource,
  type Controller,
  defineController,
  done,
  type KubeClient,
  on,
} from '@flotilla/kube';
import { ensureManagedCluster } from './ensure-managed-cluster.ts';
import { isAccepted } from './is-accepted.ts';
import { type ClusterDescription, describeCluster } from './managed-cluster.policy.ts';

/** Options of the controller of the agent's own ManagedCluster, while one connection to the hub lasts. */
export interface ManagedClusterOptions {
  readonly hub: KubeClient;
  readonly clusters: CachedResource<ManagedCluster>;
  readonly description: ClusterDescription;
}

/** Permissions reach the authorizer of the hub a moment after the cluster was accepted. */
const refusedMs = 60_000;

/** Keeps on the ManagedCluster what the agent reports there: annotations of its prefix and the addresses of the cluster. */
export function managedClusterController({ hub, clusters, description }: ManagedClusterOptions): Controller {
  /** The hub keeps less than it is given, as gRPC servers of OCM do: writing again would change nothing. */
  let isIncomplete = false;
  return defineController({
    name: 'managed-cluster',
    watches: [on(clusters)],
    async reconcile(key, { signal, log }) {
      const cached = clusters.get(key);
      if (!cached || isIncomplete || describeCluster(cached, description) === cached) return done;
      const outcome = await ensureManagedCluster(hub, description, { log, signal });
      if (outcome.kind === 'refused' && isAccepted(cached))
        return after(refusedMs, 'the hub may permit the update then');
      if (outcome.kind === 'updated') {
        isIncomplete = describeCluster(outcome.cluster, description) !== outcome.cluster;
      }
      return done;
    },
  });
}
