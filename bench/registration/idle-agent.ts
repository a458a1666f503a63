import { administrator } from '@flotilla/e2e';
import type { Cluster } from '@flotilla/envtest';
import { realClock } from '@flotilla/kube';
import { cpuSeconds } from '../lib/cpu.ts';
import type { Figure } from '../lib/report.ts';
import { requestsOf } from '../lib/requests.ts';
import type { Contest, Contestant } from './contestants.ts';
import { forgetAgent } from './forget-agent.ts';
import { hubIsReady } from './hub-ready.ts';

const minutes = 3;
const settleMs = 15_000;

/** What a joined agent costs the hub and itself while nothing happens. */
export async function measureIdleAgents({ ours, ocm }: Contest, hub: Cluster, managed: Cluster): Promise<Figure[]> {
  using admin = administrator(hub.client);

  async function run(contestant: Contestant): Promise<{ requests: number; cpuMs: number }> {
    const name = `idle-${contestant.name.toLowerCase()}`;
    await using program = await contestant.startHub();
    await hubIsReady(hub.client, admin);
    await using agent = await contestant.startAgent(name, 'registration');
    await admin.admit(name);
    await admin.joined(name);
    await realClock.sleep(settleMs);
    const isAgent = (user: string) => user.startsWith(`system:open-cluster-management:${name}:`);
    const before = { requests: await requestsOf(hub, isAgent), cpu: await cpuSeconds(agent.pid) };
    await realClock.sleep(minutes * 60_000);
    const requests = (await requestsOf(hub, isAgent)) - before.requests;
    const cpuMs = ((await cpuSeconds(agent.pid)) - before.cpu) * 1000;
    await agent.end();
    await forgetAgent(name, { hub, managed, admin });
    await program.end();
    return { requests: requests / minutes, cpuMs: cpuMs / minutes };
  }

  const runs = { ours: await run(ours), ocm: await run(ocm) };
  const peer = (value: number) => ({ name: 'OCM', value });
  return [
    {
      what: 'idle, a minute: requests of an agent to the hub',
      unit: '',
      ours: runs.ours.requests,
      peer: peer(runs.ocm.requests),
    },
    { what: 'idle, a minute: CPU of an agent', unit: 'ms', ours: runs.ours.cpuMs, peer: peer(runs.ocm.cpuMs) },
  ];
}
