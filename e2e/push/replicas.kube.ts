import { manifestWorks } from '@flotilla/api-types';
import { realClock } from '@flotilla/kube';
import { configMaps, leases } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsOf, type Program } from '../registration/program.ts';
import { serverKinds } from '../registration/servers.ts';
import { type Crowd, pushMember, startCrowd } from './crowd.ts';
import { type PushWorld, startPushWorld } from './push-world.ts';

const size = 100;
const poll = { timeout: 120_000, interval: 250 };

const manifest = (colour: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace: 'default' },
  data: { colour },
});

describe.each(serverKinds)('two replicas of push-agents on %s, with 100 members', { timeout: 300_000 }, (kind) => {
  let world: PushWorld;
  let crowd: Crowd;
  let replicas: [Program, Program];

  const membersOf = async (program: Program): Promise<number> =>
    Number(/^flotilla_push_members (\d+)/m.exec(await metricsOf(program))?.[1] ?? 0);
  const writeAll = (colour: string) =>
    Promise.all(
      crowd.names.map(async (name) => {
        const works = world.hub.client.resource(manifestWorks);
        const spec = { workload: { manifests: [manifest(colour)] } };
        if (await works.find(`${name}/settings`)) {
          await works.patch(`${name}/settings`, { type: 'merge', body: { spec } });
        } else await works.create({ metadata: { name: 'settings', namespace: name }, spec });
      }),
    );
  const withColour = async (colour: string): Promise<number> => {
    const found = await Promise.all(
      crowd.names.map((name) => crowd.plane(name).client.resource(configMaps).find('default/settings')),
    );
    return found.filter((object) => object?.data?.colour === colour).length;
  };

  beforeAll(async () => {
    [world, crowd] = await Promise.all([startPushWorld(kind), startCrowd(size)]);
    replicas = [world.startPushAgents(), world.startPushAgents()];
    for (const name of crowd.names) await pushMember(world.hub, name, crowd.plane(name));
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    await crowd?.[Symbol.asyncDispose]();
  });

  it('divide the members among them', async () => {
    const shares = async () => Promise.all(replicas.map(membersOf));
    await expect.poll(async () => (await shares()).reduce((a, b) => a + b), poll).toBe(size);
    for (const share of await shares()) expect(share).toBeGreaterThan(size / 4);
    await writeAll('first');
    await expect.poll(() => withColour('first'), poll).toBe(size);
  });

  it('take over from one that is killed, within seconds, and all members are right in the end', async () => {
    const [first, second] = replicas;
    await first.end('SIGKILL');
    const killed = realClock.monotonic();
    await writeAll('second');
    await expect.poll(() => membersOf(second), poll).toBe(size);
    expect(realClock.monotonic() - killed).toBeLessThan(30_000);
    await expect.poll(() => withColour('second'), poll).toBe(size);
  });

  it('share again with one that comes, and take over at once from one that ends', async () => {
    const [, second] = replicas;
    const third = world.startPushAgents();
    await expect.poll(() => membersOf(third), poll).toBeGreaterThan(size / 4);
    await expect.poll(async () => (await membersOf(second)) + (await membersOf(third)), poll).toBe(size);
    expect(await second.end('SIGTERM')).toBe(0);
    await expect.poll(() => membersOf(third), poll).toBe(size);
    await writeAll('third');
    await expect.poll(() => withColour('third'), poll).toBe(size);
    const { items } = await world.hub.client
      .resource(leases)
      .list({ labelSelector: 'open-cluster-management.io/push-agents' });
    const holders = items.map(({ metadata }) => metadata?.name);
    // That of the killed one goes later; that of the ended one is gone.
    expect(holders.length).toBeLessThanOrEqual(2);
  });
});
