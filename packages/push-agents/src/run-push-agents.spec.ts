import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { managedClusters, manifestWorks } from '@flotilla/api-types';
import { realClock } from '@flotilla/kube';
import { timeAfter } from '@flotilla/kube/clock';
import { configMaps, leases, secrets } from '@flotilla/kube/kinds';
import { temporaryDirectory } from '@flotilla/kube/testing';
import { pushedRenewalAnnotation } from '@flotilla/registration-core/push';
import { describe, expect, it } from 'vitest';
import { pushFrom } from '../examples/my-push-agents.ts';
import { startPushWorld } from './fixtures/push-world.ts';

const poll = { timeout: 20_000, interval: 20 };
const available = 'ManagedClusterConditionAvailable';

const work = (colour: string) => ({
  metadata: { name: 'settings', namespace: 'c1' },
  spec: {
    workload: {
      manifests: [
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'default' }, data: { colour } },
      ],
    },
  },
});

describe('the agents of pushed clusters', { timeout: 60_000 }, () => {
  it('serve a cluster from acceptance on, and say what its Secret lacks', async () => {
    await using world = await startPushWorld();
    const { hub, member } = world;
    world.start();
    await world.addCluster('c1');
    const annotations = { 'agent.open-cluster-management.io/cluster-identity': 'a-uid' };
    await hub.client.resource(managedClusters).patch('c1', { type: 'merge', body: { metadata: { annotations } } });
    await hub.client.resource(manifestWorks).create(work('blue'));
    const colour = async () => (await member.client.resource(configMaps).find('default/settings'))?.data?.colour;
    await world.giveAccess('c1');
    await world.giveAccess('c1', { 'hub-server': undefined });
    await world.accept('c1');
    await expect
      .poll(async () => (await world.condition('c1', available))?.message, poll)
      .toMatch(/Secret c1\/member-access has no entry hub-server. Write it anew: flotilla join/);
    expect(await colour()).toBeUndefined();
    await world.giveAccess('c1');
    await expect.poll(async () => (await world.condition('c1', available))?.status, poll).toBe('True');
    await expect.poll(colour, poll).toBe('blue');
    expect((await hub.client.resource(managedClusters).get('c1')).status?.clusterClaims).toBeUndefined();
    await expect
      .poll(async () => (await hub.client.resource(manifestWorks).get('c1/settings')).status?.conditions?.length, poll)
      .toBe(2);
  });

  it('leave a cluster alone that is not pushed, although there is a Secret', async () => {
    await using world = await startPushWorld();
    await world.addCluster('c1');
    await world.giveAccess('c1');
    const labels = { 'open-cluster-management.io/cluster-mode': null };
    await world.hub.client.resource(managedClusters).patch('c1', { type: 'merge', body: { metadata: { labels } } });
    await world.accept('c1');
    await world.addCluster('c2');
    await world.giveAccess('c2');
    await world.accept('c2');
    world.start();
    await expect.poll(async () => (await world.condition('c2', available))?.status, poll).toBe('True');
    expect(await world.condition('c1', available)).toBeUndefined();
  });

  it('renew the token once when it is due, also if the clock of the member is far behind', async () => {
    await using world = await startPushWorld();
    await world.addCluster('c1');
    await world.giveAccess('c1');
    await world.accept('c1');
    const token = async () => (await world.hub.client.resource(secrets).get('c1/member-access')).data?.token;
    const first = await token();
    const ahead = 9 * 60_000;
    world.start({ clock: { ...realClock, now: () => timeAfter(realClock.now(), ahead) } });
    await expect.poll(token, poll).not.toBe(first);
    const second = await token();
    await expect.poll(async () => (await world.condition('c1', available))?.status, poll).toBe('True');
    await world.hub.client.resource(manifestWorks).create(work('with the new token'));
    await expect
      .poll(async () => (await world.member.client.resource(configMaps).find('default/settings'))?.data?.colour, poll)
      .toBe('with the new token');
    expect(await token()).toBe(second);
  });

  it('give a cluster up to an agent that renews its lease, and delete the access to it', async () => {
    await using world = await startPushWorld();
    const { hub } = world;
    await world.addCluster('c1');
    await world.giveAccess('c1');
    await world.accept('c1');
    const handle = hub.client.resource(leases);
    const key = 'c1/managed-cluster-lease';
    await handle.create({ metadata: { name: 'managed-cluster-lease', namespace: 'c1' }, spec: {} });
    world.start();
    await expect.poll(async () => (await handle.get(key)).spec?.renewTime, poll).toBeDefined();
    await handle.patch(key, { type: 'merge', body: { spec: { renewTime: '2030-01-01T00:00:00.000000Z' } } });
    const labels = async () => (await hub.client.resource(managedClusters).get('c1')).metadata?.labels ?? {};
    await expect.poll(labels, poll).toEqual({});
    await expect.poll(() => hub.client.resource(secrets).find('c1/member-access'), poll).toBeUndefined();
    await expect.poll(async () => (await handle.get(key)).metadata?.annotations ?? {}, poll).toEqual({});
  });

  it('finish to give up a cluster that a process which was killed had begun with', async () => {
    await using world = await startPushWorld();
    const { client } = world.hub;
    await world.addCluster('c1');
    await world.giveAccess('c1');
    const labels = { 'open-cluster-management.io/cluster-mode': null };
    await client.resource(managedClusters).patch('c1', { type: 'merge', body: { metadata: { labels } } });
    const renewTime = '2030-01-01T00:00:00.000000Z';
    const annotations = { [pushedRenewalAnnotation]: renewTime };
    const metadata = { name: 'managed-cluster-lease', namespace: 'c1', annotations };
    await client.resource(leases).create({ metadata, spec: { renewTime } });
    world.start();
    await expect.poll(() => client.resource(secrets).find('c1/member-access'), poll).toBeUndefined();
    const marks = async () => (await client.resource(leases).get('c1/managed-cluster-lease')).metadata?.annotations;
    await expect.poll(async () => (await marks()) ?? {}, poll).toEqual({});
  });

  it('run as the README shows', async () => {
    await using world = await startPushWorld();
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'hub.yaml');
    await writeFile(file, world.hub.kubeconfig, { mode: 0o600 });
    await world.addCluster('c1');
    await world.giveAccess('c1');
    await world.accept('c1');
    const abort = new AbortController();
    const running = pushFrom(file, abort.signal);
    await expect.poll(async () => (await world.condition('c1', available))?.status, poll).toBe('True');
    abort.abort();
    await running;
  });
});
