import { realClock } from '@flotilla/kube';
import { configMap } from './manifests.ts';
import type { Works } from './works.ts';

/** Long enough for what follows by a timer of seconds; a slower one is part of what an idle hour costs. */
const settleMs = 30_000;
const manifests = 5;

/** Requests to both servers for one work of five manifests. */
export interface RequestsPerWork {
  readonly create: number;
  readonly update: number;
}

/** Counts what one work costs in requests: creating it, and changing one of its manifests. */
export async function measureRequests(
  works: Works,
  clusterName: string,
  requests: () => Promise<number>,
): Promise<RequestsPerWork> {
  const all = (value: string) =>
    Array.from({ length: manifests }, (_, index) => configMap(`${clusterName}-counted-${index}`, index ? '' : value));
  const cost = async (change: () => Promise<void>): Promise<number> => {
    const before = await requests();
    await change();
    await realClock.sleep(settleMs);
    return (await requests()) - before;
  };
  return {
    create: await cost(async () => works.applied(await works.create('counted', all('first')))),
    update: await cost(async () => works.applied(await works.setManifests('counted', all('second')))),
  };
}
