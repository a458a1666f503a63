import { administrator } from '@flotilla/e2e';
import type { Cluster } from '@flotilla/envtest';
import { realClock } from '@flotilla/kube';
import { cpuSeconds } from '../lib/cpu.ts';
import { rssMiB } from '../lib/memory.ts';
import { type Figure, median } from '../lib/report.ts';
import type { Contest, Contestant } from './contestants.ts';
import { forgetAgent } from './forget-agent.ts';
import { hubIsReady } from './hub-ready.ts';

const rounds = 5;
const settleMs = 10_000;

interface Run {
  readonly joinMs: number;
  readonly joinCpuMs: number;
  readonly agentMiB: number;
  readonly singletonMiB: number;
}

/** From the start of an agent until the hub has it as available, and what it then holds; each agent with its own hub. */
export async function measureAgents({ ours, ocm }: Contest, hub: Cluster, managed: Cluster): Promise<Figure[]> {
  using admin = administrator(hub.client);
  const runs: { ours: Run; ocm: Run }[] = [];
  for (let round = 0; round < rounds; round++) {
    runs.push({ ours: await run(ours, round), ocm: await run(ocm, round) });
  }

  async function run(contestant: Contestant, round: number): Promise<Run> {
    await using program = await contestant.startHub();
    await hubIsReady(hub.client, admin);
    const join = async (kind: 'registration' | 'singleton') => {
      const name = `${kind}-${contestant.name.toLowerCase()}-${round}`;
      const began = performance.now();
      const agent = await contestant.startAgent(name, kind);
      await admin.admit(name);
      await admin.joined(name);
      const joinMs = performance.now() - began;
      const joinCpuMs = (await cpuSeconds(agent.pid)) * 1000;
      await realClock.sleep(settleMs);
      const mib = await rssMiB(agent.pid);
      await agent.end();
      await forgetAgent(name, { hub, managed, admin });
      return { joinMs, joinCpuMs, mib };
    };
    const { joinMs, joinCpuMs, mib: agentMiB } = await join('registration');
    const { mib: singletonMiB } = await join('singleton');
    await program.end();
    return { joinMs, joinCpuMs, agentMiB, singletonMiB };
  }

  const figure = (what: string, unit: string, limit: number | undefined, pick: (run: Run) => number): Figure => ({
    what,
    unit,
    ours: median(runs.map((both) => pick(both.ours))),
    peer: { name: 'OCM', value: median(runs.map((both) => pick(both.ocm))) },
    ...(limit !== undefined && { limit }),
  });
  return [
    figure('registration agent: start to Available on the hub', 'ms', 0.7, ({ joinMs }) => joinMs),
    figure('… CPU of the agent', 'ms', undefined, ({ joinCpuMs }) => joinCpuMs),
    figure('RSS of the registration agent', 'MiB', 1.2, ({ agentMiB }) => agentMiB),
    figure('RSS of the whole agent in one process', 'MiB', 1.2, ({ singletonMiB }) => singletonMiB),
  ];
}
