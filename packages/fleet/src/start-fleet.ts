import type { AddonDefinition } from '@flotilla/addon-sdk';
import { type ManagedCluster, ManagedClusterCondition, managedClusters } from '@flotilla/api-types';
import { type Clock, isConditionTrue, type KubeClient, type Logger, realClock, silentLogger } from '@flotilla/kube';
import { requireNode } from '@flotilla/kube/errors';
import { type FleetAddons, fleetAddons, startAddons } from './addons.ts';
import { openAgentHub } from './agent-hub.ts';
import { csrFleet, type FleetDriver } from './fleet-driver.ts';
import { bootstrapToken, startHub } from './hub.ts';
import { startManagedCluster } from './managed-cluster.ts';
import { type Until, until } from './until.ts';

/** How a fleet is started. */
export interface FleetOptions {
  /** Names of its managed clusters, or how many. Default: one. */
  readonly clusters?: number | readonly string[];
  /** Add-ons that the hub offers, and whose controllers run on it. */
  readonly addons?: readonly AddonDefinition[];
  /** How clusters prove who they are, to try a driver of your own. Default: by client certificates. */
  readonly driver?: FleetDriver;
  readonly clock?: Clock;
  /** Default: nothing is logged. */
  readonly log?: Logger;
}

/** A hub, its managed clusters and their agents. */
export interface Fleet extends FleetAddons, AsyncDisposable {
  /** The administrator of the hub. */
  readonly hub: KubeClient;
  /** The administrator of a managed cluster. */
  managed(cluster: string): KubeClient;
  readonly clusterNames: readonly string[];
  /** The hub as the agent of an add-on on a cluster reaches it, with its credentials and rights. */
  agentHub(addon: string, cluster: string): Promise<KubeClient>;
  /** Waits for an object, from a watch; an error says how it was last. */
  readonly until: Until;
}

const namesOf = (clusters: number | readonly string[]): readonly string[] =>
  typeof clusters === 'number' ? Array.from({ length: clusters }, (_, index) => `cluster${index + 1}`) : clusters;

/** Starts a fleet, and resolves when all of its clusters are Available. Nothing listens beyond loopback, and nothing is left behind. */
export async function startFleet(options: FleetOptions = {}): Promise<Fleet> {
  requireNode('startFleet()');
  const { clusters = 1, addons = [], driver = csrFleet, clock = realClock, log = silentLogger } = options;
  const clusterNames = namesOf(clusters);
  await using cleanup = new AsyncDisposableStack();
  const { plane } = cleanup.use(await startHub({ driver, clock, log }));
  const { client: hub, access } = plane;
  const { server, ca = '' } = access;
  const bootstrap = { server, ca, authorization: `Bearer ${bootstrapToken}`, origin: 'the fleet' };
  const managed = new Map<string, KubeClient>();
  const started = await Promise.allSettled(
    clusterNames.map(async (name) => {
      const cluster = cleanup.use(await startManagedCluster({ name, hub: bootstrap, driver, clock, log }));
      managed.set(name, cluster.plane.client);
    }),
  );
  for (const result of started) if (result.status === 'rejected') throw result.reason;
  const isAvailable = ({ status }: ManagedCluster): boolean =>
    isConditionTrue(status?.conditions, ManagedClusterCondition.Available);
  await Promise.all(clusterNames.map((name) => until(hub.resource(managedClusters), name, isAvailable)));
  const { failed } = cleanup.use(await startAddons(hub, addons, { clock, log }));
  const managedOf = (name: string): KubeClient => {
    const client = managed.get(name);
    if (client) return client;
    throw new Error(`the fleet has no cluster ${name}; it has ${clusterNames.join(', ')}`);
  };
  const running = cleanup.move();
  return {
    hub,
    clusterNames,
    managed: managedOf,
    ...fleetAddons(hub, clusterNames, failed),
    async agentHub(addon, cluster) {
      const client = await openAgentHub({ hub, managed: managedOf(cluster), cluster, addon, clock });
      running.defer(() => client.close());
      return client;
    },
    until,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
