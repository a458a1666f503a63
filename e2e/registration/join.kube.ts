import { managedClusters } from '@flotilla/api-types';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, type Fleet, startFleet } from './fleet.ts';
import type { Program } from './program.ts';
import { serverKinds, startServer } from './servers.ts';

/** A lease is that long so that a machine which is busy elsewhere does not cost the leader its place. */
const election = [
  '--leader-election-lease-duration=6s',
  '--leader-election-renew-deadline=5s',
  '--leader-election-retry-period=500ms',
];

/** No service account was refused anything, so the manifests grant enough. A cluster that is not yet accepted is another matter. */
const expectNoRefusal = ({ log }: Program) => {
  const refused = log.map((line) => JSON.stringify(line)).filter((line) => line.includes('Forbidden'));
  expect(refused.filter((line) => line.includes('system:serviceaccount:'))).toEqual([]);
};

// Hub and managed cluster are both of the kind here. The managed one is a second hub too, for a cluster that moves.
describe.each(serverKinds)('between two servers, each %s', (kind) => {
  let first: Fleet;
  let second: Fleet;
  let cluster: Cluster;
  let isWrong = false;
  beforeAll(async () => {
    [first, second] = await Promise.all([startServer(kind).then(startFleet), startServer(kind).then(startFleet)]);
    cluster = await first.newCluster(second.hub);
  });
  afterEach(({ task }) => {
    isWrong ||= task.result?.state === 'fail';
  });
  afterAll(async () => {
    if (isWrong) console.error(first.logs(), second.logs());
    await first?.[Symbol.asyncDispose]();
    await second?.[Symbol.asyncDispose]();
  });

  it('joins after the administrator accepted, keeps its identity when the agent starts again, and moves to another hub', async () => {
    await using hub = first.startHub();
    const { admin } = first;
    const agent = cluster.startAgent('traveller');
    await admin.asked('traveller');
    const asking = await first.hub.client.resource(managedClusters).get('traveller');
    expect(asking.spec?.hubAcceptsClient).toBe(false);
    expect(asking.status?.conditions ?? []).toEqual([]);
    await admin.admit('traveller');
    await admin.joined('traveller');
    expectNoRefusal(hub);

    const before = await cluster.identity();
    expect(await agent.end()).toBe(0);
    await using again = cluster.startAgent('traveller');
    await again.said('the agent is running');
    expect(await cluster.identity()).toEqual(before);
    expect(await admin.requests('traveller')).toHaveLength(1);
    expectNoRefusal(again);

    await using other = second.startHub();
    await cluster.setBootstrap(second.bootstrap);
    await second.admin.admit('traveller');
    await second.admin.joined('traveller');
    expect((await cluster.identity())?.kubeconfig).toContain(second.bootstrap.server);
    expect(again.running).toBe(true);
    expectNoRefusal(again);
    expectNoRefusal(other);
  });

  it.concurrent('joins by the whole agent in one process too', async () => {
    await using _hub = first.startHub();
    const managed = await first.newCluster();
    await using singleton = managed.startAgent('whole', { app: 'singleton' });
    await first.admin.admit('whole');
    await first.admin.joined('whole');
    expectNoRefusal(singleton);
  });

  it.concurrent('joins although the leading one of two hub replicas is killed in the middle', async () => {
    const leader = second.startHub(election);
    await leader.said('"msg":"leading"');
    const follower = second.startHub(election);
    await follower.said('another process leads');
    const managed = await second.newCluster();
    await using _agent = managed.startAgent('orphan');
    await second.admin.asked('orphan');
    await leader.end('SIGKILL');
    await second.admin.admit('orphan');
    await second.admin.joined('orphan');
    await follower.said('"msg":"leading"');
    expectNoRefusal(follower);
  });
});
