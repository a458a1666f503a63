import { type ManifestWork, type ManifestWorkSpec, manifestWorks } from '@flotilla/api-types';
import { createInformers, type KubeClient, keyOf, realClock } from '@flotilla/kube';
import type { EmbeddedResource } from '@flotilla/schema';

/** The works of one cluster on the hub, as a user sees them: written by requests, observed by one watch. */
export interface Works extends Disposable {
  create(
    name: string,
    manifests: readonly EmbeddedResource[],
    manifestConfigs?: ManifestWorkSpec['manifestConfigs'],
  ): Promise<ManifestWork>;
  setManifests(name: string, manifests: readonly EmbeddedResource[]): Promise<ManifestWork>;
  /** When the work is as a check says. */
  until(name: string, what: string, isIt: (work: ManifestWork) => boolean): Promise<void>;
  /** When both conditions are true for what the work says now. */
  applied(work: ManifestWork): Promise<void>;
  /** How many there are. */
  readonly size: number;
  /** Deletes all, and gives their number when they are gone. */
  deleteAll(): Promise<number>;
}

type Check = (work: ManifestWork | undefined) => boolean;

const timeoutMs = 600_000;
const atOnce = 16;

/** Watches and writes the works of a cluster. */
export async function worksOf(client: KubeClient, clusterName: string): Promise<Works> {
  const informers = createInformers({ client });
  const cache = informers.resource(manifestWorks, { namespace: clusterName });
  await cache.whenSynced({ timeoutMs: 60_000 });
  const handle = client.resource(manifestWorks);
  const waiting = new Map<string, Set<() => void>>();
  cache.changes.subscribe(({ key }) => {
    for (const check of waiting.get(key) ?? []) check();
  });

  const wait = (key: string, what: string, check: Check): Promise<void> =>
    new Promise((resolve, reject) => {
      const checks = waiting.get(key) ?? new Set();
      waiting.set(key, checks);
      const cancel = realClock.schedule(timeoutMs, () => {
        checks.delete(recheck);
        reject(new Error(`${key} was not ${what}; last seen: ${JSON.stringify(cache.get(key)?.status)}`));
      });
      const recheck = () => {
        if (!check(cache.get(key))) return;
        cancel();
        checks.delete(recheck);
        resolve();
      };
      checks.add(recheck);
      recheck();
    });
  const until: Works['until'] = (name, what, isIt) =>
    wait(`${clusterName}/${name}`, what, (work) => work !== undefined && isIt(work));

  return {
    create: (name, manifests, manifestConfigs) =>
      handle.create({
        metadata: { namespace: clusterName, name },
        spec: { workload: { manifests: [...manifests] }, ...(manifestConfigs && { manifestConfigs }) },
      }),
    setManifests: (name, manifests) =>
      handle.patch(`${clusterName}/${name}`, { type: 'merge', body: { spec: { workload: { manifests } } } }),
    until,
    applied: ({ metadata }) =>
      until(metadata?.name ?? '', 'applied and available', ({ status }) =>
        isAppliedAndAvailable(status, metadata?.generation),
      ),
    get size() {
      return cache.size;
    },
    async deleteAll() {
      const keys = cache.list().map(keyOf);
      await inTurns(keys, (key) => handle.delete(key));
      await Promise.all(keys.map((key) => wait(key, 'gone', (work) => work === undefined)));
      return keys.length;
    },
    [Symbol.dispose]: () => informers.close(),
  };
}

const isAppliedAndAvailable = (status: ManifestWork['status'], generation: number | undefined): boolean =>
  ['Applied', 'Available'].every((type) =>
    status?.conditions?.some(
      (condition) =>
        condition.type === type && condition.status === 'True' && condition.observedGeneration === generation,
    ),
  );

/** Does something with each, several at once. */
export async function inTurns<T>(items: readonly T[], call: (item: T) => Promise<unknown>): Promise<void> {
  const remaining = items.values();
  const worker = async (): Promise<void> => {
    for (const item of remaining) await call(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** How long something took, in milliseconds. */
export async function timed(call: () => Promise<unknown>): Promise<number> {
  const began = realClock.monotonic();
  await call();
  return realClock.monotonic() - began;
}
