import {
  type AddOnConfig,
  clusterManagementAddOns,
  type ManagedClusterAddOn,
  managedClusterAddOns,
  managedClusters,
  NamespaceName,
} from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import {
  type Clock,
  createInformers,
  type KubeClient,
  type Logger,
  ownerReferenceTo,
  realClock,
  silentLogger,
} from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';
import type { AddonDefinition } from '../definition/addon-definition.ts';
import { createAddonEngine } from '../engine/create-engine.ts';
import type { AddonEngine } from '../engine/engine.ts';
import { withServedVersions } from '../engine/served-versions.ts';
import { AddonWatch } from './addon-watch.ts';
import { admitConfigs } from './admit-configs.ts';
import { runSimulatedAgent } from './simulated-agent.ts';

/** A managed cluster of a fleet. */
export interface FleetCluster {
  readonly name: string;
  /** Of the managed cluster. Its workloads are simulated: pods become ready, jobs complete. */
  readonly client: KubeClient;
  /** Of the hub. */
  readonly hub: KubeClient;
}

/** Something that runs until the signal aborts. */
export type RunFleetPart<T> = (target: T, signal: AbortSignal) => Promise<void>;

/** What a fleet is made of. */
export interface FleetOptions {
  readonly addons: readonly AddonDefinition[];
  /** Names, or how many. Default: one. */
  readonly clusters?: number | readonly string[];
  /** Applies the works of a cluster. Default: a simulated agent; the real one is `createWorkAgent` of `@flotilla/work-agent`. */
  readonly agent?: RunFleetPart<FleetCluster>;
  /** Controllers of the hub, such as the add-on manager. Default: none, and what `enable` is given is configured at once. */
  readonly hub?: RunFleetPart<{ readonly client: KubeClient }>;
  readonly log?: Logger;
  readonly clock?: Clock;
}

/** A hub with add-ons and some managed clusters, all in this process and gone with it. */
export interface Fleet extends AsyncDisposable {
  readonly hub: KubeClient;
  readonly clusters: readonly FleetCluster[];
  readonly engine: AddonEngine;
  /** The client of a managed cluster. */
  managed(cluster: string): KubeClient;
  /** Enables an add-on on all clusters, or some. */
  enable(addon: string, options?: EnableOptions): Promise<void>;
  /** Removes an add-on, and resolves when its hooks have run and it is gone. */
  disable(addon: string, options?: { readonly clusters?: readonly string[] }): Promise<void>;
  /** Resolves when the add-on is available wherever it is enabled; otherwise rejects with the conditions that tell why. */
  whenAvailable(addon: string, options?: { readonly timeoutMs?: number }): Promise<void>;
}

/** Where and how an add-on is enabled. */
export interface EnableOptions {
  readonly clusters?: readonly string[];
  readonly configs?: readonly AddOnConfig[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Starts a hub and its clusters, with the add-ons offered on none of them. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { addons, clusters = 1, log = silentLogger, clock = realClock } = options;
  const names =
    typeof clusters === 'number' ? Array.from({ length: clusters }, (_, at) => `cluster${at + 1}`) : clusters;
  await using cleanup = new AsyncDisposableStack();
  const plane = cleanup.use(await startControlPlane({ listen: false, clock, crds: customResourceDefinitions() }));
  const hub = withServedVersions(plane.client);
  const end = new AbortController();
  const running: Promise<void>[] = [];
  const engine = createAddonEngine({ client: hub, clock, log });
  cleanup.defer(async () => {
    end.abort();
    await engine.close();
    await Promise.allSettled(running);
  });
  const fleet = await Promise.all(
    names.map(async (name): Promise<FleetCluster> => {
      const managed = cleanup.use(
        await startControlPlane({ listen: false, clock, simulator: { latency }, crds: managedDefinitions() }),
      );
      await managed.client.resource(namespaces).create({ metadata: { name: NamespaceName.AgentAddOn } });
      await register(hub, name, clock);
      return { name, client: managed.client, hub };
    }),
  );
  const { agent = simulate(log, clock), hub: runHub } = options;
  for (const cluster of fleet) running.push(agent(cluster, end.signal));
  if (runHub) running.push(runHub({ client: hub }, end.signal));
  for (const addon of addons) {
    await hub.resource(clusterManagementAddOns).create({ metadata: { name: addon.name }, spec: {} });
    engine.start(addon);
  }
  const caches = cleanup.use(createInformers({ client: hub, clock }));
  const watch = new AddonWatch(caches.resource(managedClusterAddOns), clock);
  const stop = cleanup.move();
  return {
    ...{ hub, engine, clusters: fleet },
    managed: (name) => clusterOf(fleet, name).client,
    async enable(addon, { clusters: chosen = names, configs = [], annotations } = {}) {
      for (const cluster of chosen) {
        clusterOf(fleet, cluster);
        const created = await create(hub, addon, cluster, { configs, annotations });
        if (!runHub)
          await admitConfigs(
            hub,
            created,
            addons.find(({ name }) => name === addon),
          );
      }
    },
    async disable(addon, { clusters: chosen = names } = {}) {
      for (const cluster of chosen) await hub.resource(managedClusterAddOns).delete(`${cluster}/${addon}`);
      await watch.whenGone(addon, chosen);
    },
    whenAvailable: (addon, { timeoutMs = 10_000 } = {}) => watch.whenAvailable(addon, timeoutMs),
    [Symbol.asyncDispose]: () => stop.disposeAsync(),
  };
}

/** As quick as events allow: a test waits for what the add-on does and not for containers. */
const latency = { startMs: 10, stopMs: 0, jobMs: 10 };

/** What works leave behind on a cluster with a real agent. */
const managedDefinitions = () =>
  customResourceDefinitions().filter(({ metadata }) => metadata?.name?.startsWith('appliedmanifestworks.'));

const simulate =
  (log: Logger, clock: Clock): RunFleetPart<FleetCluster> =>
  ({ name, client, hub }, signal) =>
    runSimulatedAgent({ clusterName: name, hub, managed: client, log, now: () => clock.now() }, signal);

/** A cluster that has joined and reports. */
async function register(hub: KubeClient, name: string, clock: Clock): Promise<void> {
  await hub.resource(namespaces).create({ metadata: { name } });
  await hub.resource(managedClusters).create({ metadata: { name }, spec: { hubAcceptsClient: true } });
  const said = { status: 'True', reason: 'Simulated', message: '', lastTransitionTime: formatTime(clock.now()) };
  const conditions = ['HubAcceptedManagedCluster', 'ManagedClusterJoined', 'ManagedClusterConditionAvailable'].map(
    (type) => ({ type, ...said }),
  );
  const status = { conditions, version: { kubernetes: 'v1.36.0' } };
  await hub.resource(managedClusters).status.patch(name, { type: 'merge', body: { status } });
}

async function create(
  hub: KubeClient,
  addon: string,
  cluster: string,
  { configs, annotations }: Pick<EnableOptions, 'configs' | 'annotations'>,
): Promise<ManagedClusterAddOn> {
  const offer = await hub.resource(clusterManagementAddOns).get(addon);
  const owner = ownerReferenceTo(clusterManagementAddOns, offer, { controller: true, blockOwnerDeletion: true });
  return hub.resource(managedClusterAddOns).create({
    metadata: {
      name: addon,
      namespace: cluster,
      ownerReferences: [owner],
      ...(annotations && { annotations: { ...annotations } }),
    },
    spec: configs && configs.length > 0 ? { configs: [...configs] } : {},
  });
}

function clusterOf(fleet: readonly FleetCluster[], name: string): FleetCluster {
  const found = fleet.find((cluster) => cluster.name === name);
  if (found) return found;
  throw new RangeError(`the fleet has no cluster ${name}; it has ${fleet.map((cluster) => cluster.name).join(', ')}`);
}
