import type { Program } from '@flotilla/e2e';
import type { Cluster } from '@flotilla/envtest';
import { cpuSeconds } from '../lib/cpu.ts';
import { requestsOf } from '../lib/requests.ts';

/** What something took of a hub. */
export interface Cost {
  readonly seconds: number;
  readonly cpu: number;
  readonly requests: number;
}

/** Measures the hub process while `work` runs. */
export async function hubCost(
  hub: Program,
  server: Cluster,
  hubUser: string,
  work: () => Promise<unknown>,
): Promise<Cost> {
  const isHub = (user: string) => user === hubUser;
  const before = { cpu: await cpuSeconds(hub.pid), requests: await requestsOf(server, isHub) };
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1000;
  const cpu = (await cpuSeconds(hub.pid)) - before.cpu;
  return { seconds, cpu, requests: (await requestsOf(server, isHub)) - before.requests };
}
