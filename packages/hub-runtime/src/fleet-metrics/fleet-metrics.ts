import { type ManifestWork, managedClusterAddOns, managedClusters, manifestWorks } from '@flotilla/api-types';
import { type CachedResource, type Clock, createInformers, type KubeClient, type Logger } from '@flotilla/kube';
import type { Metrics } from '@flotilla/process';
import type { KubeObject } from '@flotilla/schema';
import { addOnState, clusterState, type FleetState, summary, workState } from './fleet.policy.ts';

/** What the metrics of a fleet are read from. */
interface FleetSource {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Of a work its conditions are enough: manifests of a large fleet would fill the memory. */
const conditionsOnly = ({ metadata, status }: ManifestWork): ManifestWork => {
  const { namespace, name, uid, resourceVersion, generation, creationTimestamp } = metadata;
  return {
    metadata: { namespace, name, uid, resourceVersion, generation, creationTimestamp } as ManifestWork['metadata'],
    ...(status?.conditions && { status: { conditions: status.conditions } as ManifestWork['status'] }),
  } as ManifestWork;
};

type Kind = 'clusters' | 'works' | 'addons';

/**
 * Metrics that say whether the fleet is in sync. Works are watched from the first scrape on: a hub that nobody scrapes does not pay for it.
 * Returns how to end that.
 */
export function fleetMetrics(metrics: Metrics, { client, clock, log }: FleetSource): Disposable {
  const informers = createInformers({ client, clock, log });
  const statesOf = <T extends KubeObject>(open: () => CachedResource<T>, stateOf: (object: T) => FleetState) => {
    let cache: CachedResource<T> | undefined;
    return (): FleetState[] | undefined => {
      cache ??= open();
      return cache.synced ? cache.list().map(stateOf) : undefined;
    };
  };
  const kinds: Readonly<Record<Kind, () => FleetState[] | undefined>> = {
    clusters: statesOf(() => informers.resource(managedClusters), clusterState),
    works: statesOf(() => informers.resource(manifestWorks, { transform: conditionsOnly }), workState),
    addons: statesOf(() => informers.resource(managedClusterAddOns), addOnState),
  };
  const helps = {
    clusters: 'Clusters of this hub, by state: available, unavailable, unknown or pending.',
    works: 'Works of this hub, by state: in_sync, not_applied, not_available or pending.',
    addons: 'Add-ons of clusters, by state: available, unavailable or unknown.',
  };
  for (const kind of Object.keys(kinds) as Kind[]) {
    const definition = { name: `flotilla_fleet_${kind}`, help: helps[kind], labels: ['state'] } as const;
    metrics.computedGauge(definition, () => {
      const { counts } = summary(kinds[kind]() ?? [], clock.now());
      return [...counts].map(([state, count]) => [{ state }, count] as const);
    });
  }
  metrics.computedGauge(
    {
      name: 'flotilla_fleet_oldest_pending_seconds',
      help: 'For how long the oldest of a kind is not in sync; 0 if all are.',
      labels: ['kind'],
    },
    () =>
      (Object.keys(kinds) as Kind[]).flatMap((kind) => {
        const states = kinds[kind]();
        return states ? [[{ kind }, summary(states, clock.now()).oldest] as const] : [];
      }),
  );
  return informers;
}
