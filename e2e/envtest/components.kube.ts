import { type Cluster, startCluster } from '@flotilla/envtest';
import { createKubeClient, KubeError, realClock, staticAccess } from '@flotilla/kube';
import { configMaps, namespaces } from '@flotilla/kube/kinds';
import { createTransport } from '@flotilla/kube/transport';
import { afterAll, beforeAll, expect, test } from 'vitest';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster?.stop());

test('all three run', () => {
  const { etcd, apiServer, controllerManager } = cluster;
  expect([etcd.state, apiServer.state, controllerManager.state]).toEqual(['running', 'running', 'running']);
});

test.each(['etcd', 'apiServer', 'controllerManager'] as const)(
  '%s comes back after SIGKILL, with its data',
  async (name) => {
    const handle = cluster.client.resource(configMaps);
    const key = `default/survives-${name.toLowerCase()}`;
    await handle.create({ metadata: { name: key.slice(8), namespace: 'default' } });
    const { pid } = cluster[name];
    await cluster[name].restart({ kill: true });
    expect(cluster[name].pid).not.toBe(pid);
    await expect.poll(() => handle.find(key), { timeout: 15_000 }).toBeDefined();
  },
);

test('a stopped API server refuses connections until it is started again, at the same address', async () => {
  await cluster.apiServer.stop();
  const transport = createTransport({
    access: staticAccess(cluster.access),
    clock: realClock,
    retry: { maxRetries: 0 },
  });
  const error = await transport.request({ method: 'GET', path: '/readyz' }).catch((caught: unknown) => caught);
  expect(KubeError.is(error, 'Unavailable')).toBe(true);
  await cluster.apiServer.start();
  expect((await transport.request({ method: 'GET', path: '/readyz' })).status).toBe(200);
  await transport.close();
});

test('a paused API server accepts connections and answers only when resumed', async () => {
  const transport = createTransport({ access: staticAccess(cluster.access), clock: realClock });
  const client = createKubeClient({ transport });
  await client.resource(namespaces).get('default');
  cluster.apiServer.pause();
  const error = await client
    .resource(namespaces)
    .get('default', { deadlineMs: 300 })
    .catch((caught: unknown) => caught);
  expect(KubeError.is(error, 'Timeout')).toBe(true);
  cluster.apiServer.resume();
  expect(await client.resource(namespaces).get('default')).toBeDefined();
  await client.close();
});

test('a paused etcd keeps the API server from writing until it is resumed', async () => {
  const handle = cluster.client.resource(configMaps);
  cluster.etcd.pause();
  const early = await handle
    .create({ metadata: { name: 'impatient', namespace: 'default' } }, { deadlineMs: 300 })
    .catch((caught: unknown) => caught);
  expect(KubeError.is(early, 'Timeout')).toBe(true);
  cluster.etcd.resume();
  const late = await handle.create({ metadata: { name: 'patient', namespace: 'default' } });
  expect(late.metadata?.uid).toBeDefined();
});

test('without the controller manager a namespace is not emptied; started again, it is', async () => {
  await cluster.controllerManager.kill();
  const handle = cluster.client.resource(namespaces);
  await handle.create({ metadata: { name: 'doomed' } });
  await handle.delete('doomed');
  expect((await handle.get('doomed')).status?.phase).toBe('Terminating');
  await cluster.controllerManager.start();
  await expect.poll(() => handle.find('doomed'), { timeout: 20_000 }).toBeUndefined();
});
