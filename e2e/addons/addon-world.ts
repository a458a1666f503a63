import {
  addOnDeploymentConfigs,
  type ClusterManagementAddOnSpec,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusterSetBindings,
  managedClusters,
  manifestWorks,
  type PlacementSpec,
  placements,
} from '@flotilla/api-types';
import { applyConditions, findCondition, isConditionTrue, type KubeClient, mapLimited } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { type Fleet, startFleet } from '../registration/fleet.ts';
import type { Program } from '../registration/program.ts';
import { type ServerKind, startServer } from '../registration/servers.ts';
import { type AddOnAuthor, configKind, startAuthor } from './author.ts';

/** Only ends what hangs, also on a machine that is busy elsewhere. */
export const poll = { timeout: 100_000, interval: 100 };
const namespace = 'team';
const atOnce = 20;

/** A hub as a process, clusters without agents, and an add-on with its author. */
export interface AddonWorld extends AsyncDisposable {
  readonly client: KubeClient;
  readonly author: AddOnAuthor;
  readonly hub: Program;
  /** Kills the hub, as a machine dies, and starts another. */
  restartHub(): Promise<void>;
  /** Makes a configuration, or changes it. */
  configure(name: string, value: string): Promise<void>;
  place(name: string, spec: PlacementSpec): Promise<void>;
  offer(spec: ClusterManagementAddOnSpec): Promise<void>;
  /** The names of the configurations that each cluster with the add-on has applied, or `…` while it has not. */
  applied(): Promise<Readonly<Record<string, string>>>;
  /** What the progressions of the add-on say. */
  progressions(): Promise<string[]>;
  logs(): string;
}

/** The name of the add-on. */
export const addOn = 'hello';

/** A reference to a configuration. */
export const config = (name: string) => ({ ...configKind, namespace, name });

/** A placement in an install strategy. */
export const ref = (name: string, rest: object = {}) => ({ namespace, name, ...rest });

/** Starts a hub with clusters that are accepted and available; each has the label `name`, and those that are given. */
export async function startAddonWorld(
  kind: ServerKind,
  clusters: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<AddonWorld> {
  await using cleanup = new AsyncDisposableStack();
  const fleet: Fleet = cleanup.use(await startFleet(await startServer(kind)));
  const { client } = fleet.hub;
  let hub = fleet.startHub();
  await addClusters(fleet, clusters);
  const author = cleanup.use(startAuthor(client, addOn));
  const running = cleanup.move();
  const world: AddonWorld = {
    client,
    author,
    get hub() {
      return hub;
    },
    async restartHub() {
      await hub.end('SIGKILL');
      hub = fleet.startHub();
    },
    async configure(name, value) {
      const spec = { customizedVariables: [{ name: 'VALUE', value }] };
      const configs = client.resource(addOnDeploymentConfigs);
      if (await configs.find(`${namespace}/${name}`)) {
        await configs.patch(`${namespace}/${name}`, { type: 'merge', body: { spec } });
      } else await configs.create({ metadata: { namespace, name }, spec });
    },
    place: async (name, spec) =>
      void (await client.resource(placements).create({ metadata: { namespace, name }, spec })),
    offer: async (spec) =>
      void (await client.resource(clusterManagementAddOns).create({ metadata: { name: addOn }, spec })),
    async applied() {
      const { items } = await client.resource(managedClusterAddOns).list();
      return Object.fromEntries(
        items.map(({ metadata, status }) => {
          const isDone = findCondition(status?.conditions, 'Progressing')?.reason === 'Completed';
          const names = (status?.configReferences ?? []).map(({ desiredConfig, lastAppliedConfig }) => {
            const isApplied =
              isDone && desiredConfig?.specHash && desiredConfig.specHash === lastAppliedConfig?.specHash;
            return isApplied ? desiredConfig.name : '…';
          });
          return [metadata?.namespace, names.join(',')];
        }),
      );
    },
    async progressions() {
      const { status } = await client.resource(clusterManagementAddOns).get(addOn);
      return (status?.installProgressions ?? []).map(({ conditions }) => conditions?.[0]?.message ?? '');
    },
    logs: () => fleet.logs(),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
  return world;
}

/** Clusters that are accepted and available, and a namespace from which placements select them. */
export async function addClusters(
  { hub: { client }, admin }: Fleet,
  clusters: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<void> {
  await client.resource(namespaces).create({ metadata: { name: namespace } });
  const binding = { metadata: { namespace, name: 'global' }, spec: { clusterSet: 'global' } };
  await client.resource(managedClusterSetBindings).create(binding);
  const handle = client.resource(managedClusters);
  const available = { type: 'ManagedClusterConditionAvailable', status: 'True', reason: 'Test', message: '' } as const;
  await mapLimited(Object.entries(clusters), atOnce, async ([name, labels]) => {
    await handle.create({ metadata: { name, labels: { name, ...labels } }, spec: { hubAcceptsClient: true } });
    const accepted = await admin.seen.until(
      managedClusters,
      `the acceptance of ${name}`,
      ({ metadata, status }) =>
        metadata?.name === name && isConditionTrue(status?.conditions, 'HubAcceptedManagedCluster'),
    );
    await applyConditions(handle, accepted, [available]);
  });
}

/** How many objects of the add-on are left on the hub. */
export const leftOf = async ({ client }: AddonWorld): Promise<number> =>
  (await client.resource(managedClusterAddOns).list()).items.length +
  (await client.resource(manifestWorks).list()).items.length;
