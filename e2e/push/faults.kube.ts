import { join } from 'node:path';
import { manifestWorks } from '@flotilla/api-types';
import { type Relay, startRelay } from '@flotilla/envtest';
import { realClock } from '@flotilla/kube';
import { configMaps, serviceAccounts } from '@flotilla/kube/kinds';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BareServer } from '../cli/bare-server.ts';
import { type MortalServer, serverKinds, startMortalServer } from '../registration/servers.ts';
import { type PushWorld, pollOptions, startPushWorld } from './push-world.ts';

/** What users are promised. */
const lossMs = 15_000;

const manifest = (colour: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace: 'default' },
  data: { colour },
});

interface Member {
  readonly server: Pick<BareServer, 'client' | 'access'>;
  readonly relay: Relay;
  readonly kubeconfig: string;
}

describe.each(serverKinds)('pushed clusters of a hub on %s', { timeout: 180_000 }, (kind) => {
  let world: PushWorld;
  const members = new Map<string, Member>();
  let mortal: MortalServer;
  const cleanup = new AsyncDisposableStack();

  const member = (name: string): Member => {
    const found = members.get(name);
    if (!found) throw new Error(`there is no member ${name}`);
    return found;
  };
  /** A member behind a network that misbehaves on demand. */
  const addMember = async (name: string, server: Member['server']): Promise<void> => {
    const relay = cleanup.use(await startRelay(server.access.server));
    const kubeconfig = join(world.directory, `${name}-relay.yaml`);
    await writeKubeconfig(kubeconfig, kubeconfigFor({ ...server.access, server: relay.server }));
    members.set(name, { server, relay, kubeconfig });
    await joinMember(name);
  };
  const joinMember = async (name: string): Promise<void> => {
    const joined = await world.flotilla(`join ${name} --push --cluster-kubeconfig ${member(name).kubeconfig}`);
    expect(joined, joined.err).toMatchObject({ code: 0 });
  };
  const write = async (name: string, colour: string): Promise<void> => {
    const works = world.hub.client.resource(manifestWorks);
    const spec = { workload: { manifests: [manifest(colour)] } };
    const found = await works.find(`${name}/settings`);
    if (found) await works.patch(`${name}/settings`, { type: 'merge', body: { spec } });
    else await works.create({ metadata: { name: 'settings', namespace: name }, spec });
  };
  const colourOn = async (name: string) =>
    (await member(name).server.client.resource(configMaps).find('default/settings'))?.data?.colour;
  const applied = (name: string, colour: string, timeout = 5000) =>
    expect.poll(() => colourOn(name), { ...pollOptions, timeout }).toBe(colour);
  /** Does something to one member, and expects that the hub says so in time, while the steady one is served as ever. */
  const loses = async (name: string, fault: () => unknown, colour: string): Promise<void> => {
    const start = realClock.monotonic();
    await fault();
    await write('steady', colour);
    await applied('steady', colour);
    await world.whenAvailable(name, 'False');
    expect(realClock.monotonic() - start).toBeLessThan(lossMs);
    expect(await world.condition('steady', 'ManagedClusterConditionAvailable')).toBe('True');
  };

  beforeAll(async () => {
    world = await startPushWorld(kind);
    world.startPushAgents();
    mortal = cleanup.use(await startMortalServer('embedded'));
    await addMember('mortal', mortal);
    for (const name of ['steady', 'faulty']) await addMember(name, await world.startMember(name, 'embedded'));
  });
  afterAll(async () => {
    await cleanup.disposeAsync();
    await world?.[Symbol.asyncDispose]();
  });

  it('are all served', async () => {
    for (const name of members.keys()) await world.whenAvailable(name);
    for (const name of members.keys()) await write(name, 'first');
    for (const name of members.keys()) await applied(name, 'first');
  });

  it('are served one by one: a killed member is reported in time, and gets its works when it is back', async () => {
    await write('mortal', 'before the kill');
    await applied('mortal', 'before the kill');
    await loses('mortal', () => mortal.kill(), 'while one is dead');
    await write('mortal', 'after the kill');
    await mortal.start();
    await world.whenAvailable('mortal');
    await applied('mortal', 'after the kill', 45_000);
  });

  it('are served one by one: a member in a black hole is reported in time, and gets its works when it is out', async () => {
    const { relay } = member('faulty');
    await loses('faulty', () => relay.blackhole(), 'while one is silent');
    await write('faulty', 'after the silence');
    relay.restore();
    await world.whenAvailable('faulty');
    await applied('faulty', 'after the silence', 45_000);
  });

  it('are served one by one: a slow member delays no other, and is not called lost', async () => {
    const { relay } = member('faulty');
    relay.delay(300);
    await write('faulty', 'slowly');
    for (const colour of ['one', 'two', 'three']) {
      await write('steady', colour);
      await applied('steady', colour, 2000);
    }
    await applied('faulty', 'slowly', 30_000);
    expect(await world.condition('faulty', 'ManagedClusterConditionAvailable')).toBe('True');
    relay.restore();
  });

  it('whose connections are reset go on at once', async () => {
    const { relay } = member('faulty');
    relay.dropConnections();
    await write('faulty', 'after the reset');
    await applied('faulty', 'after the reset', 10_000);
    expect(await world.condition('faulty', 'ManagedClusterConditionAvailable')).toBe('True');
  });

  it('whose credential is revoked are reported, and go on with a new one without a restart', async () => {
    const { client } = member('faulty').server;
    const accounts = client.resource(serviceAccounts);
    const { items } = await accounts.list({ namespace: 'open-cluster-management-push' });
    const own = items.filter(({ metadata }) => metadata?.name?.startsWith('push-'));
    expect(own).toHaveLength(1);
    for (const { metadata } of own) await accounts.delete(`${metadata?.namespace}/${metadata?.name}`);
    await write('faulty', 'without a right');
    await world.whenAvailable('faulty', 'False');
    const conditions = (await world.cluster('faulty')).status?.conditions ?? [];
    expect(conditions.find(({ type }) => type === 'ManagedClusterConditionAvailable')?.message).toContain('401');
    await joinMember('faulty');
    await world.whenAvailable('faulty');
    await applied('faulty', 'without a right', 45_000);
  });

  it('whose member is gone are removed by force, with a report of what stays there', async () => {
    await mortal.kill();
    const { kubeconfig } = member('mortal');
    const refused = await world.flotilla(`unjoin mortal --cluster-kubeconfig ${kubeconfig} --wait 2s`);
    expect(refused.code).not.toBe(0);
    const removed = await world.flotilla(`unjoin mortal --cluster-kubeconfig ${kubeconfig} --force --wait 5s`);
    expect(removed, removed.err).toMatchObject({ code: 0 });
    expect(removed.out).toContain('Removed ManagedCluster mortal from the hub');
    expect(removed.out).toMatch(/Left what works applied on mortal, which cannot be reached/);
    expect(removed.out).toMatch(
      /Left Namespace open-cluster-management-push of mortal with the ServiceAccount of the hub/,
    );
    expect(await world.condition('steady', 'ManagedClusterConditionAvailable')).toBe('True');
  });
});
