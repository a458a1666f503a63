import { managedClusters } from '@flotilla/api-types';
import { type KubeClient, KubeError } from '@flotilla/kube';
import {
  certificateSigningRequests,
  clusterRoleBindings,
  configMaps,
  roleBindings,
  secrets,
} from '@flotilla/kube/kinds';
import { certificateUser, startTestFleet } from '@flotilla/registration-core/testing';
import { describe, expect, it } from 'vitest';
import { csrFleet, joined, running } from './fixtures/fleet.ts';

const startCsrFleet = () => startTestFleet({ ...csrFleet, authenticate: certificateUser });
type CsrFleet = Awaited<ReturnType<typeof startCsrFleet>>;
const secretKey = 'open-cluster-management-agent/hub-kubeconfig-secret';
const finalizer = 'cluster.open-cluster-management.io/api-resource-cleanup';
const hour = 3_600_000;

const removePermissions = async (hub: KubeClient): Promise<void> => {
  await hub.resource(clusterRoleBindings).delete('open-cluster-management:managedcluster:c1');
  await hub.resource(roleBindings).delete('c1/registration');
};
/** As the controllers of a hub do it: first the permissions are removed, and the ManagedCluster when all is cleaned up. */
async function remove({ hub, eventually }: CsrFleet, whileTerminating: () => Promise<void> = async () => {}) {
  const clusters = hub.client.resource(managedClusters);
  await clusters.patch('c1', { type: 'merge', body: { metadata: { finalizers: [finalizer] } } });
  await clusters.delete('c1');
  await whileTerminating();
  await removePermissions(hub.client);
  await clusters.patch('c1', { type: 'merge', body: { metadata: { finalizers: null } } });
  await eventually(async () => expect(await clusters.find('c1')).toBeUndefined());
}
const seen = (fleet: CsrFleet) => () => fleet.pass(1000);
/** What a hub loses of a cluster with which it never met. */
async function lose({ hub }: CsrFleet): Promise<void> {
  await hub.client.resource(managedClusters).delete('c1');
  await removePermissions(hub.client);
}
const isAbsentFor = async (fleet: CsrFleet, ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += 60_000) {
    await fleet.pass(60_000);
    expect(await fleet.admin.cluster('c1')).toBeUndefined();
  }
};
const record = async (fleet: CsrFleet) => JSON.parse((await fleet.stored())?.['join-record'] ?? '{}');

describe('a cluster that an administrator removed', () => {
  it('stays removed, also after a restart, and says so and what brings it back', async () => {
    await using fleet = await startCsrFleet();
    const agent = await joined(fleet);
    await remove(fleet, seen(fleet));
    await isAbsentFor(fleet, hour / 4);
    const expected = { ready: false, reason: 'Removed', message: expect.stringContaining('run `flotilla join`') };
    expect(agent.agent.health()).toMatchObject(expected);
    await agent.stop();
    const restarted = fleet.startAgent();
    await isAbsentFor(fleet, hour / 4);
    expect(restarted.agent.health()).toMatchObject(expected);
    expect((await fleet.hub.client.resource(certificateSigningRequests).list()).items).toHaveLength(1);
  });

  it('stays removed if its agent was down from before the deletion until all was gone', async () => {
    await using fleet = await startCsrFleet();
    const agent = await joined(fleet);
    await fleet.pass(5000);
    await agent.stop();
    await remove(fleet);
    const restarted = fleet.startAgent();
    await isAbsentFor(fleet, hour / 4);
    expect(restarted.agent.health()).toMatchObject({ ready: false, reason: 'Removed' });
  });

  it('stays removed when its bootstrap kubeconfig could not be read at that time, and the hub refuses its certificate later', async () => {
    await using fleet = await startCsrFleet();
    const agent = await joined(fleet);
    const { current } = fleet.bootstrap;
    fleet.bootstrap.current = async () => {
      throw new KubeError('Config', 'bootstrap kubeconfig does not exist');
    };
    await remove(fleet, seen(fleet));
    fleet.bootstrap.current = current;
    fleet.network.revokeAll();
    await isAbsentFor(fleet, hour / 4);
    expect(agent.agent.health()).toMatchObject({ ready: false, reason: 'Removed' });
  });

  it('stays removed when its certificate has ended', async () => {
    await using fleet = await startCsrFleet();
    const agent = await joined(fleet);
    await remove(fleet, seen(fleet));
    await isAbsentFor(fleet, 2 * hour);
    expect(agent.agent.health()).toMatchObject({ ready: false, reason: 'Removed' });
    expect((await fleet.hub.client.resource(certificateSigningRequests).list()).items).toEqual([]);
  });

  const rejoins: Record<string, (fleet: CsrFleet) => Promise<unknown>> = {
    'an administrator creates and accepts it again': (fleet) =>
      fleet.hub.client.resource(managedClusters).create({ metadata: { name: 'c1' }, spec: { hubAcceptsClient: true } }),
    'there are new bootstrap credentials': async (fleet) =>
      fleet.bootstrap.set({ clientCertificate: { certificate: 'new', key: 'new' } }),
    'its join record is deleted, as by a new join': (fleet) =>
      fleet.spoke.client.resource(secrets).patch(secretKey, { type: 'merge', body: { data: { 'join-record': null } } }),
    'its credentials are deleted': (fleet) => fleet.spoke.client.resource(secrets).delete(secretKey),
  };
  it.each(Object.entries(rejoins))('comes back at once when %s', async (_, rejoin) => {
    await using fleet = await startCsrFleet();
    const agent = await joined(fleet);
    await remove(fleet, seen(fleet));
    await fleet.pass(hour / 4);
    await rejoin(fleet);
    const requestedAt = fleet.clock.now();
    await fleet.eventually(async () => expect(await fleet.admin.cluster('c1')).toBeDefined());
    expect(fleet.clock.now() - requestedAt).toBeLessThan(5000);
    await fleet.admin.accept('c1');
    await running(fleet, agent);
    expect(agent.agent.health()).toEqual({ ready: true });
    await fleet.pass(1000);
    const uid = (await fleet.admin.cluster('c1'))?.metadata?.uid;
    expect(await record(fleet)).toMatchObject({ cluster: uid });
    expect(await record(fleet)).not.toHaveProperty('removed');
  });
});

describe('a hub that lost a cluster', () => {
  it('gets it back when it was restored from a time before the cluster joined', async () => {
    await using fleet = await startCsrFleet();
    const agent = await joined(fleet);
    await fleet.pass(5000);
    // As if the revision at which it joined were still to come.
    const later = JSON.stringify({ ...(await record(fleet)), revision: '99999999' });
    await agent.stop();
    const data = { 'join-record': Buffer.from(later).toString('base64') };
    await fleet.spoke.client.resource(secrets).patch(secretKey, { type: 'merge', body: { data } });
    await lose(fleet);
    const before = await fleet.stored();
    const restarted = fleet.startAgent();
    await fleet.eventually(async () => expect(await fleet.admin.cluster('c1')).toBeDefined(), 5000);
    expect((await fleet.admin.cluster('c1'))?.spec?.hubAcceptsClient).toBe(false);
    await fleet.admin.accept('c1');
    await fleet.eventually(() => expect(restarted.state.phase).toBe('running'), 5000);
    // The same user would be in a new certificate, so the old one is kept.
    expect((await fleet.stored())?.['tls.crt']).toBe(before?.['tls.crt']);
  });

  it('gets it back when another hub with the same CA is at its address', async () => {
    await using fleet = await startCsrFleet();
    const info = { metadata: { name: 'cluster-info', namespace: 'kube-public' }, data: { kubeconfig: 'clusters: []' } };
    const infos = fleet.hub.client.resource(configMaps);
    await infos.create(info);
    const agent = await joined(fleet);
    await fleet.eventually(async () => expect(await record(fleet)).toHaveProperty('hub'));
    await agent.stop();
    await lose(fleet);
    await infos.delete('kube-public/cluster-info');
    await infos.create(info);
    fleet.startAgent();
    await fleet.eventually(async () => expect(await fleet.admin.cluster('c1')).toBeDefined(), 5000);
  });
});

describe('a cluster whose name another cluster has', () => {
  const identity = { 'agent.open-cluster-management.io/cluster-identity': 'another' };

  it('asks for nothing after an error, before it could read whose name it is', async () => {
    await using fleet = await startCsrFleet();
    await fleet.hub.client
      .resource(managedClusters)
      .create({ metadata: { name: 'c1', annotations: identity }, spec: { hubAcceptsClient: true } });
    fleet.network.setConnected(false);
    const agent = fleet.startAgent();
    await fleet.eventually(() => expect(agent.state.phase).toBe('bootstrapping'));
    await fleet.pass(120_000);
    fleet.network.setConnected(true);
    await fleet.pass(120_000);
    expect((await fleet.hub.client.resource(certificateSigningRequests).list()).items).toEqual([]);
    expect(agent.agent.health()).toMatchObject({ ready: false, reason: 'NameTaken' });
  });

  it('is not reported with the credentials of the other, as from a copied Secret, and leaves the hub', async () => {
    await using fleet = await startCsrFleet();
    const agent = await joined(fleet);
    const hubs: unknown[] = [];
    agent.agent.hub$.subscribe((hub) => hubs.push(hub));
    const clusters = fleet.hub.client.resource(managedClusters);
    await clusters.patch('c1', { type: 'merge', body: { metadata: { annotations: identity } } });
    await fleet.eventually(() => expect(agent.agent.health()).toMatchObject({ ready: false, reason: 'NameTaken' }));
    await fleet.eventually(() => expect(hubs.at(-1)).toBeUndefined());
    await fleet.pass(hour / 4);
    expect(agent.state.phase).toBe('bootstrapping');
    const mine = (await fleet.spoke.client.resource(secrets).get(secretKey)).metadata?.resourceVersion;
    await fleet.pass(hour / 4);
    expect((await fleet.spoke.client.resource(secrets).get(secretKey)).metadata?.resourceVersion).toBe(mine);
    await clusters.patch('c1', {
      type: 'merge',
      body: { metadata: { annotations: { 'agent.open-cluster-management.io/cluster-identity': null } } },
    });
    await fleet.eventually(() => expect(agent.state.phase).toBe('running'));
    expect(agent.agent.health()).toEqual({ ready: true });
    expect(hubs.at(-1)).toBeDefined();
  });
});
