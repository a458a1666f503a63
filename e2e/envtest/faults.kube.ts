import { type Cluster, startCluster, startRelay } from '@flotilla/envtest';
import {
  type ClusterAccess,
  createKubeClient,
  type KubeClient,
  KubeError,
  realClock,
  staticAccess,
} from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';
import { createTransport } from '@flotilla/kube/transport';
import { afterAll, beforeAll, expect, test } from 'vitest';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ controllerManager: false });
});
afterAll(() => cluster?.stop());

const connect = (access: ClusterAccess): KubeClient =>
  createKubeClient({ transport: createTransport({ access: staticAccess(access), clock: realClock }) });

const firstEvent = async (client: KubeClient, resourceVersion: string | undefined) => {
  const stop = new AbortController();
  const events = client.resource(configMaps).watch({ namespace: 'default', resourceVersion, signal: stop.signal });
  try {
    for await (const event of events) return event.type;
    return 'closed';
  } catch (error) {
    return KubeError.from(error).code;
  } finally {
    stop.abort();
  }
};

const write = (name: string) =>
  cluster.client.resource(configMaps).create({ metadata: { name, namespace: 'default' } });

test('after expireResourceVersions a watch from before gets 410', async () => {
  const handle = cluster.client.resource(configMaps);
  const { metadata } = await handle.list({ namespace: 'default' });
  await write('history');
  expect(await firstEvent(cluster.client, metadata.resourceVersion)).toBe('ADDED');
  await cluster.expireResourceVersions();
  expect(await firstEvent(cluster.client, metadata.resourceVersion)).toBe('Expired');
});

test('without watch cache, compaction alone gives 410', async () => {
  await using bare = await startCluster({ controllerManager: false, apiServerFlags: { 'watch-cache': 'false' } });
  const handle = bare.client.resource(configMaps);
  const { metadata } = await handle.list({ namespace: 'default' });
  await handle.create({ metadata: { name: 'history', namespace: 'default' } });
  expect(await bare.compactEtcd()).toBeGreaterThan(Number(metadata.resourceVersion));
  expect(await firstEvent(bare.client, metadata.resourceVersion)).toBe('Expired');
});

test('a serving certificate of the same CA is taken without anybody noticing', async () => {
  const before = cluster.access;
  const { ca, bundle } = await cluster.rotateServingCertificate();
  expect([ca, bundle]).toEqual([before.ca, before.ca]);
  const client = connect(before);
  expect(await client.resource(configMaps).list({ namespace: 'default' })).toBeDefined();
  await client.close();
});

test('after a CA rotation only those who trust the new CA get through, the cluster own client included', async () => {
  const before = cluster.access;
  const { ca, previousBundle, bundle } = await cluster.rotateServingCertificate({ ca: 'new' });
  expect([previousBundle, bundle]).toEqual([before.ca, `${before.ca}${ca}`]);
  expect(cluster.ca).toBe(bundle);
  for (const [trusted, outcome] of [
    [previousBundle, 'Tls'],
    [bundle, 'fine'],
    [ca, 'fine'],
  ]) {
    const client = connect({ ...before, ca: trusted });
    const got = await client
      .resource(configMaps)
      .list({ namespace: 'default' })
      .then(
        () => 'fine',
        (error: unknown) => KubeError.from(error).code,
      );
    expect(got).toBe(outcome);
    await client.close();
  }
  await write('after-rotation');
  expect((await cluster.kubectl(['get', 'configmap', 'after-rotation', '-o', 'name'])).stdout).toContain(
    'after-rotation',
  );
});

test('a relay in between can lose, hold back and restore all bytes', async () => {
  await using relay = await startRelay(cluster.server);
  const client = connect({ ...cluster.access, server: relay.server });
  const get = (deadlineMs = 5000) =>
    client
      .resource(configMaps)
      .list({ namespace: 'default', deadlineMs })
      .then(
        () => 'fine',
        (error: unknown) => KubeError.from(error).code,
      );
  expect(await get()).toBe('fine');
  relay.blackhole();
  expect(await get(300)).toBe('Timeout');
  relay.restore();
  expect(await get()).toBe('fine');
  relay.cut();
  expect(['Unavailable', 'Timeout']).toContain(await get(500));
  relay.restore();
  expect(await get()).toBe('fine');
  await client.close();
});
