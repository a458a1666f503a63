import type { Program } from '@flotilla/e2e';
import { realClock } from '@flotilla/kube';
import { cpuSeconds } from '../lib/cpu.ts';
import { rssMiB } from '../lib/memory.ts';
import { configMap } from './manifests.ts';
import { inTurns, timed, type Works } from './works.ts';

export const bulk = { works: 300, manifests: 5 };
/** Small works that are there before. */
const few = 31;
const settleMs = 10_000;
const idleMs = 120_000;

/** What it costs to apply many works, and to hold them. */
export interface ManyWorks {
  readonly seconds: number;
  readonly cpu: number;
  readonly mib: number;
}

/** Creates many works at once and waits until all are applied. */
export async function measureManyWorks(works: Works, agent: Program, clusterName: string): Promise<ManyWorks> {
  const createAll = async (prefix: string, count: number, manifests: number): Promise<void> => {
    const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
    const applied: Promise<void>[] = [];
    await inTurns(names, async (name) => {
      const objects = Array.from({ length: manifests }, (_, index) =>
        configMap(`${clusterName}-${name}-${index}`, name),
      );
      applied.push(works.applied(await works.create(name, objects)));
    });
    await Promise.all(applied);
  };
  await createAll('few', few, 1);
  const before = await cpuSeconds(agent.pid);
  const ms = await timed(() => createAll('many', bulk.works, bulk.manifests));
  const cpu = (await cpuSeconds(agent.pid)) - before;
  await realClock.sleep(settleMs);
  return { seconds: ms / 1000, cpu, mib: await rssMiB(agent.pid) };
}

/** What many works cost while nothing happens, and to delete. */
export interface IdleWorks {
  /** Share of a core. */
  readonly cpu: number;
  /** An hour, for each work. */
  readonly requests: number;
  readonly deleteSeconds: number;
}

/** Leaves works that are applied alone for a while, then deletes them. */
export async function measureIdleWorks(
  works: Works,
  agent: Program,
  requests: () => Promise<number>,
): Promise<IdleWorks> {
  const before = { cpu: await cpuSeconds(agent.pid), requests: await requests() };
  await realClock.sleep(idleMs);
  const cpu = (((await cpuSeconds(agent.pid)) - before.cpu) * 1000) / idleMs;
  const sent = (await requests()) - before.requests;
  const hours = idleMs / 3_600_000;
  const count = works.size;
  const deleteMs = await timed(() => works.deleteAll());
  return { cpu, requests: sent / hours / count, deleteSeconds: deleteMs / 1000 };
}
