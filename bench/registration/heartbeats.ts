import { administrator } from '@flotilla/e2e';
import type { Cluster } from '@flotilla/envtest';
import { realClock } from '@flotilla/kube';
import type { Figure } from '../lib/report.ts';
import type { Contest, Contestant } from './contestants.ts';
import { clusterNames, fleetOf, fleetSize } from './fleet.ts';
import { type Cost, hubCost } from './hub-cost.ts';
import { hubIsReady } from './hub-ready.ts';

const rounds = 2;
const minutes = 1;
const renewMs = 60_000;
const settleMs = 15_000;

/** What the heartbeats of many clusters cost a hub while nothing else happens. */
export async function measureHeartbeats({ ours, ocm, hubUser }: Contest, server: Cluster): Promise<Figure[]> {
  using admin = administrator(server.client);
  using fleet = fleetOf(server, admin);
  const names = clusterNames('heartbeats');
  await fleet.create(names);
  await using first = await ours.startHub();
  await fleet.accept(names);
  await fleet.report(names);
  await fleet.whenUntainted(names);
  // The hub writes the clock conditions one at a time, behind what agents wait for: they are part of joining, not of heartbeats.
  await realClock.sleep(settleMs);
  await first.end();

  async function run(contestant: Contestant): Promise<Cost> {
    await using hub = await contestant.startHub();
    await hubIsReady(server.client, admin);
    await realClock.sleep(settleMs);
    const cost = await hubCost(hub, server, hubUser, async () => {
      const until = performance.now() + minutes * 60_000;
      // Agents renew their leases once a minute, each at its own time.
      for (let next = 0; performance.now() < until; next = (next + 1) % fleetSize) {
        await fleet.renew(names[next] ?? '');
        await realClock.sleep(renewMs / fleetSize);
      }
    });
    await hub.end();
    return cost;
  }

  // In turns, so that what else the machine does meets both.
  const runs: Record<'ours' | 'ocm', Cost[]> = { ours: [], ocm: [] };
  for (let round = 0; round < rounds; round++) {
    runs.ours.push(await run(ours));
    runs.ocm.push(await run(ocm));
  }
  await using cleaner = await ours.startHub();
  await fleet.remove(names);
  await fleet.removeNamespaces(names);
  await cleaner.end();
  const each = (costs: readonly Cost[], pick: (cost: Cost) => number): number =>
    costs.reduce((sum, cost) => sum + pick(cost), 0) / rounds / fleetSize / minutes;
  const figure = (what: string, unit: string, limit: number | undefined, pick: (cost: Cost) => number): Figure => ({
    what,
    unit,
    ours: each(runs.ours, pick),
    peer: { name: 'OCM', value: each(runs.ocm, pick) },
    ...(limit !== undefined && { limit }),
  });
  return [
    figure('idle, a cluster and minute: requests of the hub', '', undefined, ({ requests }) => requests),
    figure('idle, a cluster and minute: CPU of the hub', 'ms', 0.7, ({ cpu }) => cpu * 1000),
  ];
}
