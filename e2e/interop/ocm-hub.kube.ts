import { Label, managedClusterSets, managedClusters } from '@flotilla/api-types';
import { namespaces } from '@flotilla/kube/kinds';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../registration/fleet.ts';
import type { Program } from '../registration/program.ts';
import { startServer } from '../registration/servers.ts';
import { type InteropFleet, startInteropFleet } from './interop-fleet.ts';

describe("our agent and OCM's hub", () => {
  let fleet: InteropFleet;
  let hub: Program;
  beforeAll(async () => {
    fleet = await startInteropFleet({ certificateSeconds: 120 });
    hub = await fleet.startOcmHub();
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(fleet.logs());
  });
  afterAll(() => fleet?.[Symbol.asyncDispose]());

  /** An agent of ours on a cluster of its own that has joined. */
  const joined = async (name: string, app: 'agent' | 'singleton' = 'agent'): Promise<Cluster> => {
    const cluster = await fleet.newCluster();
    cluster.startAgent(name, { app });
    await fleet.accept(name);
    return cluster;
  };

  it('joins from a real cluster when it is accepted, is available, and heartbeats', async () => {
    await using server = await startServer('kube-apiserver');
    const cluster = await fleet.newCluster(server);
    const agent = cluster.startAgent('real');
    await fleet.admin.asked('real');
    const clusters = fleet.hub.client.resource(managedClusters);
    expect((await clusters.get('real')).spec?.hubAcceptsClient).toBe(false);
    await fleet.accept('real');
    await fleet.beatsOn('real');
    expect((await clusters.get('real')).status?.version?.kubernetes).toMatch(/^v1\./);
    await agent.end();
  });

  it('renews its certificate, which their hub approves', { timeout: 120_000 }, async () => {
    const cluster = await joined('renewed');
    const before = await cluster.identity();
    const certificate = async () => (await cluster.identity())?.['tls.crt'];
    await expect.poll(certificate, { timeout: 90_000, interval: 500 }).not.toBe(before?.['tls.crt']);
    await fleet.beatsOn('renewed');
    const requesters = (await fleet.admin.requests('renewed')).map(({ spec }) => spec.username);
    expect(requesters).toContain(`system:open-cluster-management:renewed:${before?.['agent-name']}`);
  });

  it('loses its rights when it is denied, and beats on when it is accepted after all', async () => {
    await joined('denied');
    await fleet.admin.accept('denied', false);
    await fleet.admin.condition('denied', 'HubAcceptedManagedCluster', 'False');
    await expect.poll(() => fleet.mayRenewLease('denied')).toBe(false);
    await fleet.admin.accept('denied');
    await fleet.admin.joined('denied');
    await fleet.beatsOn('denied');
  });

  it('is a member of its cluster set, and makes the namespaces that the set is to have', async () => {
    const cluster = await joined('member', 'singleton');
    const sets = fleet.hub.client.resource(managedClusterSets);
    const clusterSelector = { selectorType: 'ExclusiveClusterSetLabel' } as const;
    const spec = { clusterSelector, managedNamespaces: [{ name: 'of-the-team' }] };
    await sets.create({ metadata: { name: 'team' }, spec });
    const body = { metadata: { labels: { [Label.ClusterSet]: 'team' } } };
    await fleet.hub.client.resource(managedClusters).patch('member', { type: 'merge', body });
    await fleet.admin.seen.until(
      managedClusterSets,
      'a member of the set',
      ({ metadata, status }) =>
        metadata?.name === 'team' && status?.conditions?.[0]?.message === '1 ManagedClusters selected',
    );
    const { status } = await fleet.admin.seen.until(
      managedClusters,
      'the namespace of the set',
      ({ status }) => status?.managedNamespaces?.[0]?.conditions?.[0]?.status === 'True',
    );
    expect(status?.managedNamespaces).toMatchObject([
      { name: 'of-the-team', clusterSet: 'team', conditions: [{ type: 'NamespaceAvailable' }] },
    ]);
    expect(await cluster.server.client.resource(namespaces).find('of-the-team')).toBeDefined();
  });

  it('is removed with its permissions when its cluster is deleted', async () => {
    await joined('deleted');
    await fleet.hub.client.resource(managedClusters).delete('deleted');
    await fleet.admin.seen.gone(managedClusters, 'deleted');
    expect(await fleet.mayRenewLease('deleted')).toBe(false);
  });

  it("stays joined when our hub takes over from OCM's, and when OCM's takes over again", async () => {
    await joined('kept');
    await hub.end();
    for (const start of [() => fleet.startHub(), () => fleet.startOcmHub()]) {
      await fleet.forgetAvailable('kept');
      const next = await start();
      await fleet.admin.joined('kept');
      await fleet.beatsOn('kept');
      await next.end();
    }
    hub = await fleet.startOcmHub();
    const [first, ...others] = (await fleet.admin.requests('kept')).map(({ spec }) => spec.username);
    expect(first).toContain('bootstrap');
    expect(others.filter((requester) => requester?.includes('bootstrap'))).toEqual([]);
  });
});
