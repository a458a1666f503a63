import { administrator } from '@flotilla/e2e';
import type { Cluster } from '@flotilla/envtest';
import { realClock } from '@flotilla/kube';
import { type Figure, median } from '../lib/report.ts';
import type { Contest, Contestant } from './contestants.ts';
import { clusterNames, fleetOf, fleetSize } from './fleet.ts';
import { type Cost, hubCost } from './hub-cost.ts';
import { hubIsReady } from './hub-ready.ts';

const rounds = 2;
const settleMs = 8_000;

interface Join extends Cost {
  readonly availableSeconds: number;
}

/**
 * Many accepted clusters report at once, while the hub reacts to each report. Agents alone make a cluster Available, so a hub can only
 * take the API server away from them: the last row is the time without any hub.
 */
export async function measureJoinAtOnce({ ours, ocm, hubUser }: Contest, server: Cluster): Promise<Figure[]> {
  using admin = administrator(server.client);
  using fleet = fleetOf(server, admin);

  /** Accepted by our hub, because that takes seconds; then the hub that is measured takes over, if any does. */
  async function run(measured: Contestant | undefined, round: number): Promise<Join> {
    const names = clusterNames(`join-${measured?.name ?? 'none'}-${round}`);
    await fleet.create(names);
    let hub = await ours.startHub();
    await fleet.accept(names);
    await realClock.sleep(settleMs);
    if (measured !== ours) await hub.end();
    if (measured === ocm) {
      hub = await ocm.startHub();
      await hubIsReady(server.client, admin);
      await realClock.sleep(settleMs);
    }
    const began = performance.now();
    let availableSeconds = 0;
    const report = async () => {
      await fleet.report(names);
      await fleet.whenAvailable(names);
      availableSeconds = (performance.now() - began) / 1000;
    };
    // A hub has done its part when the taints are gone: until the clusters are Available, one that waits would cost nothing.
    const joined = () => Promise.all([report(), fleet.whenUntainted(names)]);
    const cost = measured ? await hubCost(hub, server, hubUser, joined) : { seconds: 0, cpu: 0, requests: 0 };
    if (!measured) await report();
    const result: Join = { ...cost, availableSeconds };
    if (measured) await hub.end();
    await using cleaner = await ours.startHub();
    await fleet.remove(names);
    await fleet.removeNamespaces(names);
    await cleaner.end();
    await realClock.sleep(settleMs);
    return result;
  }

  const runs: Record<'ours' | 'ocm' | 'none', Join>[] = [];
  for (let round = 0; round < rounds; round++) {
    runs.push({ ours: await run(ours, round), ocm: await run(ocm, round), none: await run(undefined, round) });
  }
  return figuresOf(runs);
}

type Runs = readonly Record<'ours' | 'ocm' | 'none', Join>[];

function figuresOf(runs: Runs): Figure[] {
  const of = (who: 'ours' | 'ocm' | 'none', pick: (join: Join) => number) =>
    median(runs.map((each) => pick(each[who])));
  const figure = (what: string, limit: number | undefined, pick: (join: Join) => number): Figure => ({
    what,
    unit: 's',
    ours: of('ours', pick),
    peer: { name: 'OCM', value: of('ocm', pick) },
    ...(limit !== undefined && { limit }),
  });
  return [
    figure(`${fleetSize} clusters that join at once are Available`, 0.7, ({ availableSeconds }) => availableSeconds),
    figure('… and free of taints', 0.7, ({ seconds }) => seconds),
    figure('… CPU of the hub until then', 0.7, ({ cpu }) => cpu),
    {
      what: '… are Available without any hub: the least that is possible',
      unit: 's',
      ours: of('none', ({ availableSeconds }) => availableSeconds),
      peer: { name: 'OCM', value: of('ocm', ({ availableSeconds }) => availableSeconds) },
    },
  ];
}
