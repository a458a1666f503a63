import { type Cluster, startCluster, startRelay } from '@flotilla/envtest';
import { KubeError, realClock } from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { churn, follow } from './follower.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster?.stop());

describe('an informer on a real API server ends with what the server has, after', () => {
  it('the API server was killed in the middle of writes and started again', async () => {
    await using follower = await follow(cluster, 'killed');
    await churn(cluster, 'killed', 0, 10);
    await cluster.apiServer.kill();
    const writes = churn(cluster, 'killed', 10, 20);
    await cluster.apiServer.start();
    await writes;
    await follower.matchesServer();
  });

  it('etcd was compacted and the server forgot the version of the watch, which then gets 410', async () => {
    await using relay = await startRelay(cluster.server);
    await using follower = await follow(cluster, 'compacted', { server: relay.server });
    await churn(cluster, 'compacted', 0, 10);
    await follower.matchesServer();
    relay.cut();
    await churn(cluster, 'compacted', 10, 30);
    await cluster.expireResourceVersions();
    relay.restore();
    await follower.matchesServer();
  });

  it('the socket went silent without closing: noticed and replaced within 60 seconds', {
    timeout: 90_000,
  }, async () => {
    await using relay = await startRelay(cluster.server);
    await using follower = await follow(cluster, 'silent', { server: relay.server });
    await churn(cluster, 'silent', 0, 5);
    await follower.matchesServer();
    relay.silence();
    await churn(cluster, 'silent', 5, 10);
    await follower.matchesServer(60_000);
  });

  it('the server ended the watch again and again, in good order', async () => {
    let watches = 0;
    await using follower = await follow(cluster, 'ended', {
      onWatch(request) {
        watches++;
        // As an administrator may set it, who wants watches to be spread over API servers: --min-request-timeout.
        return { ...request, path: request.path.replace(/timeoutSeconds=\d+/, 'timeoutSeconds=2') };
      },
    });
    for (let round = 0; watches < 4; round++) {
      await churn(cluster, 'ended', round * 5, round * 5 + 5);
      await realClock.sleep(200);
    }
    await follower.matchesServer();
    expect(follower.store.lastError).toBeUndefined();
  });

  it('the server became slow', async () => {
    await using relay = await startRelay(cluster.server);
    relay.delay(300);
    await using follower = await follow(cluster, 'slow', { server: relay.server });
    await churn(cluster, 'slow', 0, 20);
    await follower.matchesServer();
  });

  it('the server was stopped for ten seconds and went on', { timeout: 60_000 }, async () => {
    await using follower = await follow(cluster, 'paused');
    await churn(cluster, 'paused', 0, 5);
    await cluster.apiServer.pause();
    const writes = churn(cluster, 'paused', 5, 10);
    await realClock.sleep(10_000);
    await cluster.apiServer.resume();
    await writes;
    await follower.matchesServer();
  });

  it('connections were reset again and again during writes', async () => {
    await using relay = await startRelay(cluster.server);
    await using follower = await follow(cluster, 'reset', { server: relay.server });
    for (let round = 0; round < 5; round++) {
      const writes = churn(cluster, 'reset', round * 5, round * 5 + 5);
      relay.dropConnections();
      await writes;
    }
    await follower.matchesServer();
  });
});

it('ten thousand objects come in pages and are all there', { timeout: 120_000 }, async () => {
  const total = 10_000;
  await using follower = await follow(cluster, 'many');
  const maps = cluster.client.resource(configMaps);
  let next = 0;
  const worker = async () => {
    while (next < total) await maps.create({ metadata: { namespace: 'many', name: `map-${next++}` } });
  };
  await Promise.all(Array.from({ length: 32 }, worker));
  await follower.matchesServer(60_000);
  let pages = 0;
  let objects = 0;
  for await (const page of follower.client.resource(configMaps).pages({ namespace: 'many', pageSize: 500 })) {
    pages++;
    objects += page.items.length;
  }
  expect({ pages, objects: objects >= total }).toEqual({ pages: Math.ceil(objects / 500), objects: true });
});

it('of two writers with the same version one is refused, and both end with the same object', async () => {
  await using follower = await follow(cluster, 'writers');
  const maps = cluster.client.resource(configMaps);
  const base = await maps.create({ metadata: { namespace: 'writers', name: 'shared' }, data: { count: '0' } });
  const outcomes = await Promise.allSettled(
    ['a', 'b'].map((who) => maps.replace({ ...base, data: { count: '1', who } })),
  );
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(refused).toHaveLength(1);
  expect(KubeError.is(refused[0]?.reason, 'Conflict')).toBe(true);

  // Twenty increments by two writers that read again after a conflict: none is lost.
  const increment = async (): Promise<void> => {
    for (;;) {
      const current = await maps.get('writers/shared');
      try {
        await maps.replace({ ...current, data: { ...current.data, count: String(Number(current.data?.count) + 1) } });
        return;
      } catch (error) {
        if (!KubeError.is(error, 'Conflict')) throw error;
      }
    }
  };
  const tenTimes = async () => {
    for (let times = 0; times < 10; times++) await increment();
  };
  await Promise.all([tenTimes(), tenTimes()]);
  expect((await maps.get('writers/shared')).data?.count).toBe('21');
  await follower.matchesServer();
});
