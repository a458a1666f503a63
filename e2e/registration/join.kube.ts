import { managedClusterAddOns, managedClusters, manifestWorks } from '@flotilla/api-types';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Program } from './program.ts';
import { serverKinds } from './servers.ts';
import { startWorld, type World } from './world.ts';

const patience = { timeout: 45_000, interval: 50 };
const joined = ['HubAcceptedManagedCluster=True', 'ManagedClusterJoined=True', 'ManagedClusterConditionAvailable=True'];

describe.each(serverKinds)('on %s, as processes', (kind) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(kind);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.error(world.logs());
    await world.reset();
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  const hasJoined = (name: string) =>
    expect.poll(() => world.conditions(name), patience).toEqual(expect.arrayContaining(joined));
  const hasAsked = async (name: string) => {
    await expect.poll(() => world.cluster(name), patience).toBeDefined();
    await expect.poll(async () => (await world.requests(name)).length, patience).toBeGreaterThan(0);
  };
  /** No service account was refused anything, so the manifests grant enough. A cluster that is not yet accepted is another matter. */
  const expectNoRefusal = ({ log }: Program) => {
    const refused = log.map((line) => JSON.stringify(line)).filter((line) => line.includes('Forbidden'));
    expect(refused.filter((line) => line.includes('system:serviceaccount:'))).toEqual([]);
  };

  it('joins after the administrator accepted, and keeps its identity when the agent starts again', async () => {
    await using hub = world.startHub();
    const agent = world.startAgent('first');
    await hasAsked('first');
    expect((await world.cluster('first'))?.spec?.hubAcceptsClient).not.toBe(true);
    expect(await world.conditions('first')).not.toContain('ManagedClusterJoined=True');
    await world.accept('first');
    await world.approve('first');
    await hasJoined('first');
    expectNoRefusal(hub);

    const before = await world.identity();
    const asked = await world.requests('first');
    expect(await agent.end()).toBe(0);
    await world.forgetJoin('first');
    await using again = world.startAgent('first');
    await hasJoined('first');
    expect((await world.identity())?.data).toEqual(before?.data);
    expect(await world.requests('first')).toHaveLength(asked.length);
    expectNoRefusal(again);
  });

  it('gives a cluster no rights while it is denied, and lets it in when it is accepted after all', async () => {
    await using hub = world.startHub();
    await using _agent = world.startAgent('second');
    await hasAsked('second');
    await world.approve('second');
    await world.accept('second');
    await hasJoined('second');
    await world.accept('second', false);
    await expect.poll(() => world.conditions('second'), patience).toContain('HubAcceptedManagedCluster=False');
    expect(await world.mayRenewLease('second')).toBe(false);
    await world.accept('second');
    await hasJoined('second');
    expect(await world.mayRenewLease('second')).toBe(true);
    expectNoRefusal(hub);
  });

  it('joins although the hub is killed in the middle', async () => {
    const first = world.startHub();
    await using _agent = world.startAgent('third');
    await hasAsked('third');
    await first.end('SIGKILL');
    await world.accept('third');
    await world.approve('third');
    await using _second = world.startHub();
    await hasJoined('third');
  });

  it('lets a cluster go whose agent is dead, with what was in its namespace', async () => {
    await using hub = world.startHub();
    const agent = world.startAgent('fourth');
    await hasAsked('fourth');
    await world.accept('fourth');
    await world.approve('fourth');
    await hasJoined('fourth');
    await agent.end('SIGKILL');
    const { client } = world.hub;
    const metadata = { namespace: 'fourth', name: 'left-behind' };
    await client.resource(managedClusterAddOns).create({ metadata, spec: {} });
    await client.resource(manifestWorks).create({ metadata, spec: { workload: { manifests: [] } } });
    await client.resource(managedClusters).delete('fourth');
    await expect.poll(() => world.cluster('fourth'), patience).toBeUndefined();
    expect(await client.resource(managedClusterAddOns).find('fourth/left-behind')).toBeUndefined();
    expect(await client.resource(manifestWorks).find('fourth/left-behind')).toBeUndefined();
    expect(await world.mayRenewLease('fourth')).toBe(false);
    expectNoRefusal(hub);
  });

  it('does not let a cluster in under a second name, and says under which it is known', async () => {
    await using _hub = world.startHub();
    const first = world.startAgent('fifth');
    await hasAsked('fifth');
    await world.accept('fifth');
    await world.approve('fifth');
    await hasJoined('fifth');
    await first.end();
    await world.forgetIdentity();
    await using _again = world.startAgent('sixth');
    await hasAsked('sixth');
    await world.accept('sixth');
    await world.approve('sixth');
    await expect.poll(() => world.conditions('sixth'), patience).toContain('IdentityUnique=False');
    expect(JSON.stringify((await world.cluster('sixth'))?.status?.conditions)).toContain('fifth');
    expect(await world.mayRenewLease('sixth')).toBe(false);
  });

  it('joins by the whole agent in one process too', async () => {
    await using _hub = world.startHub();
    await using singleton = world.startSingleton('seventh');
    await hasAsked('seventh');
    await world.accept('seventh');
    await world.approve('seventh');
    await hasJoined('seventh');
    expectNoRefusal(singleton);
  });
});
