import { type ManagedCluster, managedClusters } from '@flotilla/api-types';
import { administrator } from '@flotilla/e2e';
import type { Cluster } from '@flotilla/envtest';
import { createInformers, isConditionTrue, leases, namespaces, realClock, roleBindings } from '@flotilla/kube';
import { cpuSeconds } from '../lib/cpu.ts';
import { rssMiB } from '../lib/memory.ts';
import type { Figure } from '../lib/report.ts';
import { requestsOf } from '../lib/requests.ts';
import type { Contest, Contestant } from './contestants.ts';
import { hubIsReady } from './hub-ready.ts';
import { whenAll } from './when-all.ts';

const count = 300;
const atOnce = 16;
const settleMs = 10_000;
const idleMinutes = 1;
const beatMs = 60_000;

/** What something took of a hub. */
interface Cost {
  readonly seconds: number;
  readonly cpu: number;
  readonly requests: number;
}

interface Run {
  readonly idleMiB: number;
  readonly accept: Cost;
  readonly fullMiB: number;
  readonly idle: Cost;
  readonly remove: Cost;
}

/** A hub that accepts 300 clusters, watches over them while nothing happens but heartbeats, and lets them go. */
export async function measureManyClusters({ ours, ocm, hubUser }: Contest, server: Cluster): Promise<Figure[]> {
  using admin = administrator(server.client);
  using informers = createInformers({ client: server.client });
  const watchedClusters = informers.resource(managedClusters);
  const watchedBindings = informers.resource(roleBindings);
  const clusters = server.client.resource(managedClusters);
  const isHub = (user: string) => user === hubUser;

  async function run(contestant: Contestant): Promise<Run> {
    const names = Array.from({ length: count }, (_, index) => `${contestant.name.toLowerCase()}-${index}`);
    await using hub = await contestant.startHub();
    const costOf = async (work: () => Promise<unknown>): Promise<Cost> => {
      const before = { cpu: await cpuSeconds(hub.pid), requests: await requestsOf(server, isHub) };
      const began = performance.now();
      await work();
      const seconds = (performance.now() - began) / 1000;
      const cpu = (await cpuSeconds(hub.pid)) - before.cpu;
      return { seconds, cpu, requests: (await requestsOf(server, isHub)) - before.requests };
    };
    await hubIsReady(server.client, admin);
    await realClock.sleep(settleMs);
    const idleMiB = await rssMiB(hub.pid);
    await each(names, (name) => clusters.create({ metadata: { name }, spec: { hubAcceptsClient: false } }));
    await realClock.sleep(settleMs);

    const accept = await costOf(async () => {
      await each(names, (name) => admin.accept(name));
      await whenAll(watchedClusters, 'acceptance', names, isAccepted);
      // The rights to work are the last that a hub gives.
      await whenAll(watchedBindings, 'rights', names.map(workBinding), (binding) => binding !== undefined);
    });
    await each(names, (name) => announce(name));
    await realClock.sleep(settleMs);
    const fullMiB = await rssMiB(hub.pid);

    const idle = await costOf(async () => {
      const until = performance.now() + idleMinutes * 60_000;
      // Agents beat once a minute, each at its own time.
      for (let next = 0; performance.now() < until; next = (next + 1) % count) {
        await beat(names[next] ?? '');
        await realClock.sleep(beatMs / count);
      }
    });

    const remove = await costOf(async () => {
      await each(names, (name) => clusters.delete(name));
      await whenAll(watchedClusters, 'removal', names, (cluster) => cluster === undefined);
    });
    await hub.end();
    await each(names, (name) => server.client.resource(namespaces).delete(name));
    return { idleMiB, accept, fullMiB, idle, remove };
  }

  /** What an agent says when it has joined. */
  async function announce(name: string): Promise<void> {
    const now = new Date(realClock.now()).toISOString();
    const { status } = await clusters.get(name);
    const said = ['ManagedClusterJoined', 'ManagedClusterConditionAvailable'].map((type) => ({
      ...{ type, status: 'True' as const, reason: type, message: 'said by the benchmark', lastTransitionTime: now },
    }));
    const conditions = [...(status?.conditions ?? []), ...said];
    await clusters.status.patch(name, { type: 'merge', body: { status: { conditions } } });
    await beat(name);
  }

  async function beat(name: string): Promise<void> {
    const renewTime = new Date(realClock.now()).toISOString().replace('Z', '000Z');
    const body = { spec: { renewTime } };
    await server.client.resource(leases).patch(`${name}/managed-cluster-lease`, { type: 'merge', body });
  }

  const runs = { ours: await run(ours), ocm: await run(ocm) };
  const figure = (what: string, unit: string, limit: number | undefined, pick: (run: Run) => number): Figure => ({
    what,
    unit,
    ours: pick(runs.ours),
    peer: { name: 'OCM', value: pick(runs.ocm) },
    ...(limit !== undefined && { limit }),
  });
  const perClusterMinute = (value: number) => value / count / idleMinutes;
  return [
    figure('RSS of the idle hub', 'MiB', 1.2, ({ idleMiB }) => idleMiB),
    figure(`RSS of the hub with ${count} clusters`, 'MiB', 1.2, ({ fullMiB }) => fullMiB),
    figure(`accept ${count} clusters`, 's', 0.1, ({ accept }) => accept.seconds),
    figure('… CPU of the hub', 's', 0.5, ({ accept }) => accept.cpu),
    figure('… requests of the hub', '', undefined, ({ accept }) => accept.requests),
    figure(`delete ${count} clusters`, 's', 0.25, ({ remove }) => remove.seconds),
    figure('… CPU of the hub', 's', undefined, ({ remove }) => remove.cpu),
    figure('… requests of the hub', '', undefined, ({ remove }) => remove.requests),
    figure('idle, a cluster and minute: requests of the hub', '', undefined, ({ idle }) =>
      perClusterMinute(idle.requests),
    ),
    figure('idle, a cluster and minute: CPU of the hub', 'ms', undefined, ({ idle }) =>
      perClusterMinute(idle.cpu * 1000),
    ),
  ];
}

const workBinding = (name: string): string => `${name}/open-cluster-management:managedcluster:${name}:work`;

const isAccepted = (cluster: ManagedCluster | undefined): boolean =>
  isConditionTrue(cluster?.status?.conditions, 'HubAcceptedManagedCluster');

async function each(names: readonly string[], call: (name: string) => Promise<unknown>): Promise<void> {
  const left = [...names];
  const worker = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) await call(name);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
