import { administrator } from '@flotilla/e2e';
import type { Cluster } from '@flotilla/envtest';
import { realClock } from '@flotilla/kube';
import { rssMiB } from '../lib/memory.ts';
import type { Figure } from '../lib/report.ts';
import type { Contest, Contestant } from './contestants.ts';
import { clusterNames, fleetOf, fleetSize } from './fleet.ts';
import { type Cost, hubCost } from './hub-cost.ts';
import { hubIsReady } from './hub-ready.ts';

const settleMs = 10_000;

interface Run {
  readonly idleMiB: number;
  readonly accept: Cost;
  readonly fullMiB: number;
  readonly remove: Cost;
}

/** A hub that accepts many clusters and removes them again. */
export async function measureManyClusters({ ours, ocm, hubUser }: Contest, server: Cluster): Promise<Figure[]> {
  using admin = administrator(server.client);
  using fleet = fleetOf(server, admin);

  async function run(contestant: Contestant): Promise<Run> {
    const names = clusterNames(`many-${contestant.name}`);
    await using hub = await contestant.startHub();
    const costOf = (work: () => Promise<unknown>) => hubCost(hub, server, hubUser, work);
    await hubIsReady(server.client, admin);
    await realClock.sleep(settleMs);
    const idleMiB = await rssMiB(hub.pid);
    await fleet.create(names);
    await realClock.sleep(settleMs);
    const accept = await costOf(() => fleet.accept(names));
    await realClock.sleep(settleMs);
    await fleet.report(names);
    await fleet.whenUntainted(names);
    await realClock.sleep(settleMs);
    const fullMiB = await rssMiB(hub.pid);
    const remove = await costOf(() => fleet.remove(names));
    await hub.end();
    await fleet.removeNamespaces(names);
    return { idleMiB, accept, fullMiB, remove };
  }

  const runs = { ours: await run(ours), ocm: await run(ocm) };
  const figure = (what: string, unit: string, limit: number | undefined, pick: (run: Run) => number): Figure => ({
    what,
    unit,
    ours: pick(runs.ours),
    peer: { name: 'OCM', value: pick(runs.ocm) },
    ...(limit !== undefined && { limit }),
  });
  return [
    figure('RSS of the idle hub', 'MiB', 1.2, ({ idleMiB }) => idleMiB),
    figure(`RSS of the hub with ${fleetSize} clusters`, 'MiB', 1.2, ({ fullMiB }) => fullMiB),
    figure(`accept ${fleetSize} clusters`, 's', 0.1, ({ accept }) => accept.seconds),
    figure('… CPU of the hub', 's', 0.5, ({ accept }) => accept.cpu),
    figure('… requests of the hub', '', undefined, ({ accept }) => accept.requests),
    figure(`delete ${fleetSize} clusters`, 's', 0.25, ({ remove }) => remove.seconds),
    figure('… CPU of the hub', 's', undefined, ({ remove }) => remove.cpu),
    figure('… requests of the hub', '', undefined, ({ remove }) => remove.requests),
  ];
}
