import { managedClusters } from '@flotilla/api-types';
import { createInformers, createKubeClient, KubeError, runControllers, silentLogger } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { FakeApi } from '@flotilla/kube/testing/internal';
import type { KubeRequest, KubeResponse, Transport } from '@flotilla/kube/transport';
import { describe, expect, it } from 'vitest';
import { managedClusterController } from './managed-cluster.controller.ts';

const site = 'agent.open-cluster-management.io/site';
const description = {
  clusterName: 'c1',
  annotations: { [site]: 'lab' },
  externalServerUrls: [],
  decorate: <T>(cluster: T): T => cluster,
};

/** The controller over a hub that answers updates as `update` says. */
async function scene(update: (request: KubeRequest, api: Transport) => Promise<KubeResponse>) {
  const clock = new FakeClock();
  const api = new FakeApi(clock);
  const clusters = createKubeClient({ transport: api, clock }).resource(managedClusters);
  await clusters.create({ metadata: { name: 'c1' }, spec: { hubAcceptsClient: true } });
  let updates = 0;
  const transport: Transport = {
    accessChanged: api.accessChanged,
    close: () => api.close(),
    stream: (request) => api.stream(request),
    async request(request) {
      if (request.method !== 'PUT') return api.request(request);
      updates += 1;
      return update(request, api);
    },
  };
  const hub = createKubeClient({ transport, clock });
  const informers = createInformers({ client: hub, clock });
  const end = new AbortController();
  const cached = informers.resource(managedClusters);
  const controller = managedClusterController({ hub, clusters: cached, description, clock });
  const running = runControllers([controller], { signal: end.signal, clock, log: silentLogger });
  await clock.settle();
  return {
    clock,
    updates: () => updates,
    annotation: async () => (await clusters.get('c1')).metadata?.annotations?.[site],
    async patch(body: object) {
      await clusters.patch('c1', { type: 'merge', body });
      await clock.settle();
    },
    async [Symbol.asyncDispose]() {
      end.abort();
      await running;
      informers.close();
    },
  };
}

const without = (response: KubeResponse): KubeResponse => {
  const cluster = JSON.parse(response.body);
  delete cluster.metadata.annotations;
  return { ...response, body: JSON.stringify(cluster) };
};

describe('what the agent reports about its cluster', () => {
  it('is restored later on, although the answer to an update was an earlier change', async () => {
    let answers = 0;
    await using hub = await scene(async (request, api) => {
      const answer = await api.request(request);
      answers += 1;
      return answers === 1 ? without(answer) : answer;
    });
    expect(await hub.annotation()).toBe('lab');
    await hub.patch({ metadata: { annotations: { [site]: null } } });
    expect(await hub.annotation()).toBe('lab');
  });

  it('is written once to a hub that does not keep it, until something else of it changes', async () => {
    await using hub = await scene(async (request, api) => {
      const kept = JSON.parse(String(request.body));
      delete kept.metadata.annotations;
      return api.request({ ...request, body: JSON.stringify(kept) });
    });
    expect(hub.updates()).toBe(1);
    await hub.patch({ metadata: { labels: { region: 'north' } } });
    expect(hub.updates()).toBe(1);
    await hub.patch({ spec: { leaseDurationSeconds: 30 } });
    expect(hub.updates()).toBe(2);
  });

  it('is written a few times a minute against a writer that reverts it each time, and stays when that one ends', async () => {
    await using hub = await scene((request, api) => api.request(request));
    const revert = () => hub.patch({ metadata: { annotations: { [site]: 'other' } } });
    for (let round = 0; round < 20; round += 1) await revert();
    expect(hub.updates()).toBeLessThan(5);
    await hub.clock.advance(60_000);
    expect(await hub.annotation()).toBe('lab');
    for (let minute = 0; minute < 10; minute += 1) {
      for (let round = 0; round < 20; round += 1) await revert();
      await hub.clock.advance(60_000);
    }
    expect(hub.updates()).toBeLessThan(45);
    expect(await hub.annotation()).toBe('lab');
  });

  it('is written soon after an outage of the hub, whose failed attempts are no writes', async () => {
    let isDown = true;
    await using hub = await scene(async (request, api) => {
      if (isDown) throw new KubeError('Unavailable', 'the hub is down');
      return api.request(request);
    });
    await hub.clock.advance(10_000);
    const attempts = hub.updates();
    expect(attempts).toBeGreaterThan(5);
    isDown = false;
    await hub.clock.advance(15_000);
    expect(await hub.annotation()).toBe('lab');
    const revert = () => hub.patch({ metadata: { annotations: { [site]: 'other' } } });
    for (let round = 0; round < 20; round += 1) await revert();
    expect(hub.updates() - attempts).toBeLessThan(6);
  });
});
