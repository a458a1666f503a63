import type { Program } from '@flotilla/e2e';
import { realClock } from '@flotilla/kube';
import { cpuSeconds } from '../lib/cpu.ts';
import { rssMiB } from '../lib/memory.ts';
import { configMap } from './manifests.ts';
import { inTurns, timed, type Works } from './works.ts';

export const bulk = { works: 300, manifests: 5 };
const settleMs = 10_000;
export const idleMs = 120_000;

/** What many works cost. */
export interface ManyWorks {
  readonly seconds: number;
  readonly cpu: number;
  readonly mib: number;
  /** Share of a core while nothing happens. */
  readonly idleCpu: number;
  readonly idleRequests: number;
  readonly deleteSeconds: number;
  readonly deleted: number;
}

/** Creates many works at once, waits for all, lets them be, and deletes them. */
export async function measureManyWorks(
  works: Works,
  agent: Program,
  clusterName: string,
  requests: () => Promise<number>,
): Promise<ManyWorks> {
  const names = Array.from({ length: bulk.works }, (_, index) => `many-${index}`);
  const manifestsOf = (name: string) =>
    Array.from({ length: bulk.manifests }, (_, index) => configMap(`${clusterName}-${name}-${index}`, name));

  const cpuBefore = await cpuSeconds(agent.pid);
  const ms = await timed(() => {
    const settled: Promise<void>[] = [];
    return inTurns(names, async (name) => {
      settled.push(works.settled(await works.create(name, manifestsOf(name))));
    }).then(() => Promise.all(settled));
  });
  const cpu = (await cpuSeconds(agent.pid)) - cpuBefore;

  await realClock.sleep(settleMs);
  const mib = await rssMiB(agent.pid);
  const idleBefore = { cpu: await cpuSeconds(agent.pid), requests: await requests() };
  await realClock.sleep(idleMs);
  const idleCpu = (((await cpuSeconds(agent.pid)) - idleBefore.cpu) * 1000) / idleMs;
  const idleRequests = (await requests()) - idleBefore.requests;

  let deleted = 0;
  const deleteMs = await timed(async () => {
    deleted = await works.deleteAll();
  });
  return { seconds: ms / 1000, cpu, mib, idleCpu, idleRequests, deleteSeconds: deleteMs / 1000, deleted };
}
