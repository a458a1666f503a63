import { type ManagedCluster, type ManagedClusterStatus, managedClusters } from '@flotilla/api-types';
import {
  createInformers,
  createKubeClient,
  type EventInput,
  isConditionTrue,
  KubeError,
  runControllers,
} from '@flotilla/kube';
import { setConditions } from '@flotilla/kube/conditions';
import { namespaces, nodes } from '@flotilla/kube/kinds';
import { FakeClock } from '@flotilla/kube/testing';
import { FakeApi } from '@flotilla/kube/testing/internal';
import type { Transport } from '@flotilla/kube/transport';
import { describe, expect, it } from 'vitest';
import { statusController } from './status.controller.ts';

/** The API server of a managed cluster, with a node, whose version cannot be had while `isBroken`. */
function spokeOf(clock: FakeClock) {
  const api = new FakeApi(clock);
  const state = { isBroken: false };
  const transport: Transport = {
    request: async (request) => {
      if (request.path === '/livez') return { status: 200, headers: {}, body: 'ok' };
      if (request.path !== '/version') return api.request(request);
      if (state.isBroken) throw new KubeError('Unavailable', 'no answer');
      return { status: 200, headers: {}, body: JSON.stringify({ gitVersion: 'v1.36.3' }) };
    },
    stream: (request) => api.stream(request),
    accessChanged: api.accessChanged,
    close: () => api.close(),
  };
  return { state, client: createKubeClient({ transport, clock }) };
}

async function start(status: ManagedClusterStatus) {
  const clock = new FakeClock();
  const end = new AbortController();
  const hub = createKubeClient({ transport: new FakeApi(clock), clock });
  const spoke = spokeOf(clock);
  const node = await spoke.client.resource(nodes).create({ metadata: { name: 'n1' } });
  const amounts = { cpu: '4' };
  await spoke.client.resource(nodes).status.replace({ ...node, status: { capacity: amounts, allocatable: amounts } });
  const handle = hub.resource(managedClusters);
  const created = await handle.create({ metadata: { name: 'c1' }, spec: {} });
  await handle.status.replace({ ...created, status });
  const hubInformers = createInformers({ client: hub, clock });
  const spokeInformers = createInformers({ client: spoke.client, clock });
  const events: EventInput[] = [];
  const controller = statusController({
    spoke: spoke.client,
    clusters: hubInformers.resource(managedClusters),
    clusterName: 'c1',
    nodes: spokeInformers.resource(nodes),
    namespaces: spokeInformers.resource(namespaces),
    namespaceLabel: 'managed',
    claimLimits: { maxCustomClaims: 20, reservedSuffixes: [] },
    healthCheckPeriodMs: 60_000,
    events: { record: (_, event) => events.push(event), close: async () => {}, [Symbol.asyncDispose]: async () => {} },
    clock,
  });
  const running = runControllers([controller], { signal: end.signal, clock });
  return {
    clock,
    spoke,
    cluster: (): Promise<ManagedCluster> => handle.get('c1'),
    async [Symbol.asyncDispose]() {
      end.abort();
      await running;
      hubInformers.close();
      spokeInformers.close();
    },
  };
}

const accepted = setConditions(
  [],
  [{ type: 'HubAcceptedManagedCluster', status: 'True', reason: 'R', message: 'm' }],
  0,
);

describe('the status of a cluster', () => {
  it('[registration-agent 19.10-111] says what is known when the version cannot be had, and leaves resources alone', async () => {
    const before = { version: { kubernetes: 'v1.35.0' }, capacity: { cpu: '1' }, allocatable: { cpu: '1' } };
    await using scene = await start({ conditions: [...accepted], ...before });
    scene.spoke.state.isBroken = true;
    await scene.clock.advance(10_000);
    const { status } = await scene.cluster();
    expect(status).toMatchObject(before);
    expect(isConditionTrue(status?.conditions, 'ManagedClusterJoined')).toBe(true);
    expect(isConditionTrue(status?.conditions, 'ManagedClusterConditionAvailable')).toBe(true);
    scene.spoke.state.isBroken = false;
    await scene.clock.advance(60_000);
    expect((await scene.cluster()).status).toMatchObject({
      version: { kubernetes: 'v1.36.3' },
      capacity: { cpu: '4' },
      allocatable: { cpu: '4' },
    });
  });

  it('[registration-agent 19.10-112, 19.10-106] is not touched before the hub has accepted the cluster', async () => {
    const before = { clusterClaims: [{ name: 'kept', value: 'v' }] };
    await using scene = await start(before);
    await scene.clock.advance(5 * 60_000);
    expect((await scene.cluster()).status).toEqual(before);
  });
});
