import { type ManagedCluster, managedClusters } from '@flotilla/api-types';
import type { administrator } from '@flotilla/e2e';
import type { Cluster } from '@flotilla/envtest';
import { type CachedResource, createInformers, isConditionTrue, realClock } from '@flotilla/kube';
import { leases, namespaces, type RoleBinding, roleBindings } from '@flotilla/kube/kinds';
import { whenAll } from './when-all.ts';

/** Large enough to keep both cores busy for seconds. */
export const fleetSize = 300;
const atOnce = 16;

/** Many clusters on one hub, and the agents and administrator that the benchmark plays. */
export interface Fleet extends Disposable {
  readonly clusters: CachedResource<ManagedCluster>;
  readonly bindings: CachedResource<RoleBinding>;
  /** Registers clusters that are not accepted yet. */
  create(names: readonly string[]): Promise<void>;
  /** Accepts them, and waits until the hub has granted what it grants. */
  accept(names: readonly string[]): Promise<void>;
  /** All agents report that they joined and are available, and renew their leases. */
  report(names: readonly string[]): Promise<void>;
  /** One agent renews its lease. */
  renew(name: string): Promise<void>;
  whenAvailable(names: readonly string[]): Promise<void>;
  whenUntainted(names: readonly string[]): Promise<void>;
  /** Deletes the clusters, and waits until they are gone. */
  remove(names: readonly string[]): Promise<void>;
  /** Deletes the namespaces that clusters leave behind. */
  removeNamespaces(names: readonly string[]): Promise<void>;
}

/** Names of clusters that no other part of the benchmark uses. */
export const clusterNames = (prefix: string): string[] =>
  Array.from({ length: fleetSize }, (_, index) => `${prefix.toLowerCase()}-${index}`);

/** Plays agents and administrator on a server. */
export function fleetOf(server: Cluster, admin: ReturnType<typeof administrator>): Fleet {
  const informers = createInformers({ client: server.client });
  const clusters = informers.resource(managedClusters);
  const bindings = informers.resource(roleBindings);
  const handle = server.client.resource(managedClusters);
  const renew = async (name: string): Promise<void> => {
    const renewTime = new Date(realClock.now()).toISOString().replace('Z', '000Z');
    const body = { spec: { renewTime } };
    await server.client.resource(leases).patch(`${name}/managed-cluster-lease`, { type: 'merge', body });
  };
  const reportOne = async (name: string): Promise<void> => {
    const now = new Date(realClock.now()).toISOString();
    const { status } = await handle.get(name);
    const reported = ['ManagedClusterJoined', 'ManagedClusterConditionAvailable'].map((type) => ({
      ...{ type, status: 'True' as const, reason: type, message: 'reported by the benchmark', lastTransitionTime: now },
    }));
    // On a slow machine the hub has found a cluster silent before it reports for the first time.
    const others = (status?.conditions ?? []).filter((one) => reported.every(({ type }) => type !== one.type));
    const conditions = [...others, ...reported];
    await handle.status.patch(name, { type: 'merge', body: { status: { conditions } } });
    await renew(name);
  };
  return {
    clusters,
    bindings,
    create: (names) => each(names, (name) => handle.create({ metadata: { name }, spec: { hubAcceptsClient: false } })),
    async accept(names) {
      await each(names, (name) => admin.accept(name));
      await whenAll(clusters, 'acceptance', names, isAccepted);
      // The permissions of work agents are the last that a hub grants.
      await whenAll(bindings, 'permissions', names.map(workBinding), (binding) => binding !== undefined);
    },
    report: (names) => each(names, reportOne),
    renew,
    whenAvailable: (names) => whenAll(clusters, 'availability', names, isAvailable),
    whenUntainted: (names) => whenAll(clusters, 'removal of taints', names, isFreeOfTaints),
    async remove(names) {
      await each(names, (name) => handle.delete(name));
      await whenAll(clusters, 'removal', names, (cluster) => cluster === undefined);
    },
    removeNamespaces: (names) => each(names, (name) => server.client.resource(namespaces).delete(name)),
    [Symbol.dispose]: () => informers.close(),
  };
}

const workBinding = (name: string): string => `${name}/open-cluster-management:managedcluster:${name}:work`;

const isAvailable = (cluster: ManagedCluster | undefined): boolean =>
  isConditionTrue(cluster?.status?.conditions, 'ManagedClusterConditionAvailable');

const isFreeOfTaints = (cluster: ManagedCluster | undefined): boolean =>
  isAvailable(cluster) && !cluster?.spec?.taints?.length;

const isAccepted = (cluster: ManagedCluster | undefined): boolean =>
  isConditionTrue(cluster?.status?.conditions, 'HubAcceptedManagedCluster');

async function each(names: readonly string[], call: (name: string) => Promise<unknown>): Promise<void> {
  const left = [...names];
  const worker = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) await call(name);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
