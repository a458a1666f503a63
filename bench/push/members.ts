import { managedClusters, manifestWorks } from '@flotilla/api-types';
import { isConditionTrue, type KubeClient, realClock } from '@flotilla/kube';

const pollMs = 100;
const timeoutMs = 300_000;

async function until(what: string, reached: () => Promise<boolean>): Promise<number> {
  const start = realClock.monotonic();
  while (!(await reached())) {
    if (realClock.monotonic() - start > timeoutMs) throw new Error(`${what} took longer than ${timeoutMs / 1000} s`);
    await realClock.sleep(pollMs);
  }
  return (realClock.monotonic() - start) / 1000;
}

/** Seconds until all clusters of the hub are Available. */
export const allAvailable = (hub: KubeClient, names: readonly string[]): Promise<number> =>
  until('being Available', async () => {
    const { items } = await hub.resource(managedClusters).list();
    const available = items.filter(({ status }) =>
      isConditionTrue(status?.conditions, 'ManagedClusterConditionAvailable'),
    );
    const found = new Set(available.map(({ metadata }) => metadata?.name));
    return names.every((name) => found.has(name));
  });

const manifest = (round: number) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'bench', namespace: 'default' },
  data: { round: String(round) },
});

/** Seconds from the first work until all clusters have reported that theirs is applied. */
export async function workToAll(hub: KubeClient, names: readonly string[], round: number): Promise<number> {
  const works = hub.resource(manifestWorks);
  const name = `bench-${round}`;
  const start = realClock.monotonic();
  const creating = Promise.all(
    names.map((namespace) =>
      works.create({ metadata: { name, namespace }, spec: { workload: { manifests: [manifest(round)] } } }),
    ),
  );
  await until('applying one work on all', async () => {
    const { items } = await works.list();
    const applied = items.filter(
      ({ metadata, status }) => metadata?.name === name && isConditionTrue(status?.conditions, 'Applied'),
    );
    return applied.length === names.length;
  });
  await creating;
  return (realClock.monotonic() - start) / 1000;
}
