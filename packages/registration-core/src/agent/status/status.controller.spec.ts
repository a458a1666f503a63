import { clusterClaims, type ManagedCluster, type ManagedClusterStatus, managedClusters } from '@flotilla/api-types';
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

/**
 * The API server of a managed cluster, with a node, whose version cannot be had while `isBroken`, and whose claims cannot be listed
 * before `claims`.
 */
function spokeOf(clock: FakeClock) {
  const api = new FakeApi(clock);
  const state = { isBroken: false, claims: Promise.resolve() };
  const listable = async ({ path }: { path: string }) => {
    if (path.includes('/clusterclaims')) await state.claims;
  };
  const transport: Transport = {
    request: async (request) => {
      if (request.path === '/livez') return { status: 200, headers: {}, body: 'ok' };
      await listable(request);
      if (request.path !== '/version') return api.request(request);
      if (state.isBroken) throw new KubeError('Unavailable', 'no answer');
      return { status: 200, headers: {}, body: JSON.stringify({ gitVersion: 'v1.36.3' }) };
    },
    async stream(request) {
      await listable(request);
      return api.stream(request);
    },
    accessChanged: api.accessChanged,
    close: () => api.close(),
  };
  return { state, client: createKubeClient({ transport, clock }) };
}

async function start(status: ManagedClusterStatus, claimsListed = Promise.resolve()) {
  const clock = new FakeClock();
  const end = new AbortController();
  const hub = createKubeClient({ transport: new FakeApi(clock), clock });
  const spoke = spokeOf(clock);
  spoke.state.claims = claimsListed;
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
    claims: spokeInformers.resource(clusterClaims),
    claimLimits: { maxCustomClaims: 20, reservedSuffixes: [], identity: { clusterUid: 'uid' } },
    healthCheckPeriodMs: 60_000,
    events: { record: (_, event) => events.push(event), close: async () => {}, [Symbol.asyncDispose]: async () => {} },
    clock,
  });
  const running = runControllers([controller], { signal: end.signal, clock });
  return {
    clock,
    spoke,
    cluster: (): Promise<ManagedCluster> => handle.get('c1'),
    /** A report is several requests, one after the other. */
    async settled() {
      for (let request = 0; request < 10; request += 1) await clock.settle();
    },
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

  const identity = [{ name: 'id.k8s.io', value: 'uid' }];
  const isJoined = ({ status }: ManagedCluster) => isConditionTrue(status?.conditions, 'ManagedClusterJoined');

  it('has its claims with the first report, also if their list takes longer than the rest and is empty', async () => {
    const listed = Promise.withResolvers<void>();
    await using scene = await start({ conditions: [...accepted] }, listed.promise);
    await scene.clock.advance(1000);
    expect(isJoined(await scene.cluster())).toBe(false);
    listed.resolve();
    await scene.settled();
    expect(await scene.cluster()).toSatisfy(isJoined);
    expect((await scene.cluster()).status?.clusterClaims).toEqual(identity);
  });

  it('does not wait for claims of a kind that is not installed, and has them as soon as it is', async () => {
    const listed = Promise.withResolvers<void>();
    const missing = Promise.reject(new KubeError('NotFound', 'no such kind'));
    missing.catch(() => {});
    await using scene = await start({ conditions: [...accepted] }, missing);
    await scene.settled();
    expect(await scene.cluster()).toSatisfy(isJoined);
    expect((await scene.cluster()).status?.clusterClaims).toBeUndefined();
    scene.spoke.state.claims = listed.promise;
    listed.resolve();
    // The next try of the watch; the next report by the clock is a minute away.
    await scene.clock.advance(10_000);
    await scene.settled();
    expect((await scene.cluster()).status?.clusterClaims).toEqual(identity);
  });
});
