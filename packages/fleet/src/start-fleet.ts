import type { AddonDefinition } from '@flotilla/addon-sdk';
import { type ManagedClusterAddOn, ManagedClusterCondition, managedClusters } from '@flotilla/api-types';
import { type Clock, isConditionTrue, type KubeClient, type Logger, realClock, silentLogger } from '@flotilla/kube';
import { type EnableOptions, enableAddon, startAddons } from './addons.ts';
import { bootstrapToken, startHub } from './hub.ts';
import { startManagedCluster } from './managed-cluster.ts';
import { type Until, until } from './until.ts';

/** How a fleet is started. */
export interface FleetOptions {
  /** Names of its managed clusters. Default: `cluster1`. */
  readonly clusters?: readonly string[];
  /** Add-ons that the hub offers, and whose controllers run on it. */
  readonly addons?: readonly AddonDefinition[];
  readonly clock?: Clock;
  /** Default: nothing is logged. */
  readonly log?: Logger;
}

/** A hub, its managed clusters and their agents. */
export interface Fleet extends AsyncDisposable {
  /** The administrator of the hub. */
  readonly hub: KubeClient;
  /** The administrator of a managed cluster. */
  cluster(name: string): KubeClient;
  readonly clusterNames: readonly string[];
  /** Enables an add-on on a cluster, and resolves when it is Available there. */
  enable(addon: string, cluster: string, options?: EnableOptions): Promise<ManagedClusterAddOn>;
  /** Waits for an object, from a watch; an error says how it was last. */
  until: Until;
}

/** Starts a fleet, and resolves when all of its clusters are Available. Nothing listens beyond loopback, and nothing is left behind. */
export async function startFleet(options: FleetOptions = {}): Promise<Fleet> {
  const { clusters: clusterNames = ['cluster1'], clock = realClock, log = silentLogger } = options;
  await using cleanup = new AsyncDisposableStack();
  const { plane: hub } = cleanup.use(await startHub({ clock, log }));
  const { server, ca = '' } = hub.access;
  const bootstrap = { server, ca, authorization: `Bearer ${bootstrapToken}`, origin: 'the fleet' };
  const clusters = new Map<string, KubeClient>();
  const started = await Promise.allSettled(
    clusterNames.map(async (name) => {
      const cluster = cleanup.use(await startManagedCluster({ name, hub: bootstrap, clock, log }));
      clusters.set(name, cluster.plane.client);
    }),
  );
  for (const result of started) if (result.status === 'rejected') throw result.reason;
  await Promise.all(
    clusterNames.map((name) =>
      until(hub.client.resource(managedClusters), name, ({ status }) =>
        isConditionTrue(status?.conditions, ManagedClusterCondition.Available),
      ),
    ),
  );
  cleanup.use(await startAddons(hub.client, options.addons ?? [], { clock, log }));
  const running = cleanup.move();
  return {
    hub: hub.client,
    clusterNames,
    cluster(name) {
      const client = clusters.get(name);
      if (client) return client;
      throw new Error(`the fleet has no cluster ${name}; it has ${clusterNames.join(', ')}`);
    },
    enable: (addon, cluster, enabled) => enableAddon(hub.client, addon, cluster, enabled),
    until,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
