import { X509Certificate } from 'node:crypto';
import { managedClusterAddOns, managedClusters } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import { setConditions } from '@flotilla/kube/conditions';
import { clusterRoleBindings, leases, namespaces, nodes, roleBindings, secrets } from '@flotilla/kube/kinds';
import { parseTime } from '@flotilla/kube/meta';
import { certificateUser, type JoinedHub, startTestFleet } from '@flotilla/registration-core/testing';
import { describe, expect, it } from 'vitest';
import { csrFleet, joined, running } from './fixtures/fleet.ts';
import { decideAll } from './fixtures/hub.ts';

const startCsrFleet = () => startTestFleet({ ...csrFleet, authenticate: certificateUser });
const secretKey = 'open-cluster-management-agent/hub-kubeconfig-secret';
const { stringify } = JSON;

describe('an agent that runs', () => {
  it('[registration-agent 19.10-100, 19.10-103] beats while it is accepted, as often as the hub says', async () => {
    await using fleet = await startCsrFleet();
    await joined(fleet);
    const renewed = async () =>
      parseTime((await fleet.hub.client.resource(leases).get('c1/managed-cluster-lease')).spec?.renewTime) ?? 0;
    await fleet.eventually(async () => expect(fleet.clock.now() - (await renewed())).toBeLessThan(5000));
    await fleet.clock.advance(10 * 60_000);
    expect(fleet.clock.now() - (await renewed())).toBeLessThan(70_000);
    const clusters = fleet.hub.client.resource(managedClusters);
    await clusters.patch('c1', { type: 'merge', body: { spec: { leaseDurationSeconds: 5 } } });
    await fleet.eventually(async () => expect(fleet.clock.now() - (await renewed())).toBeLessThan(1000));
    await fleet.clock.advance(60_000);
    expect(fleet.clock.now() - (await renewed())).toBeLessThan(7000);
    await fleet.admin.deny('c1');
    await fleet.clock.advance(60_000);
    expect(fleet.clock.now() - (await renewed())).toBeGreaterThan(50_000);
  });

  it.each([
    ['forward', 40 * 60_000],
    // Further back the certificate would not be valid yet, for this hub has the same clock.
    ['back', -4 * 60_000],
  ])('beats on, and renews in time, when the wall clock of its machine is set %s', async (_direction, ms) => {
    await using fleet = await startCsrFleet();
    const agent = await joined(fleet);
    const lease = async () => (await fleet.hub.client.resource(leases).get('c1/managed-cluster-lease')).spec?.renewTime;
    await fleet.eventually(async () => expect(fleet.clock.now() - (parseTime(await lease()) ?? 0)).toBeLessThan(5000));
    fleet.clock.jump(ms);
    let beats = 0;
    for (let minute = 0, last = await lease(); minute < 10; minute += 1) {
      await fleet.pass(80_000);
      if ((await lease()) !== last) beats += 1;
      last = await lease();
    }
    expect(beats).toBe(10);
    // A certificate of an hour has been renewed at the latest when four fifths of its life are over by the wall clock.
    await fleet.eventually(async () => {
      await decideAll(fleet.hub.client, 'Approved', fleet.clock.now());
      const { 'tls.crt': certificate = '' } = (await fleet.stored()) ?? {};
      const left = new X509Certificate(certificate).validToDate.getTime() - fleet.clock.now();
      expect(left).toBeGreaterThan(20 * 60_000);
    });
    expect(agent.history.filter(({ state }) => state.phase === 'bootstrapping')).toHaveLength(1);
  });

  it.each([
    ['reports the uid of kube-system as the claim id.k8s.io if it is told to', true],
    ['reports no claim id.k8s.io that the cluster does not have', false],
  ])('%s', async (_, reportClusterId) => {
    await using fleet = await startCsrFleet();
    await joined(fleet, fleet.startAgent({ reportClusterId }));
    const { uid } = (await fleet.spoke.client.resource(namespaces).get('kube-system')).metadata ?? {};
    await fleet.eventually(async () => expect((await fleet.admin.cluster('c1'))?.status?.version).toBeDefined());
    const claims = (await fleet.admin.cluster('c1'))?.status?.clusterClaims;
    expect(claims).toEqual(reportClusterId ? [{ name: 'id.k8s.io', value: uid }] : undefined);
  });

  it('[registration-agent 19.10-105, 19.10-106, 19.10-118] reports nodes and claims, also while clocks differ', async () => {
    await using fleet = await startCsrFleet();
    await joined(fleet);
    const spoke = fleet.spoke.client;
    const node = await spoke.resource(nodes).create({ metadata: { name: 'n1' } });
    const amounts = { cpu: '4', memory: '8Gi' };
    await spoke.resource(nodes).status.replace({ ...node, status: { capacity: amounts, allocatable: amounts } });
    const claims = await spoke.dynamic({
      apiVersion: 'cluster.open-cluster-management.io/v1alpha1',
      kind: 'ClusterClaim',
    });
    await claims.create({ metadata: { name: 'id.k8s.io' }, ...{ spec: { value: 'me' } } });
    await fleet.eventually(async () => {
      const status = (await fleet.admin.cluster('c1'))?.status;
      expect(stringify([status?.capacity, status?.allocatable])).toBe(stringify([amounts, amounts]));
      expect(status?.version?.kubernetes).toMatch(/^v1\./);
      expect(status?.clusterClaims).toEqual([{ name: 'id.k8s.io', value: 'me' }]);
    });
    await claims.delete('id.k8s.io');
    await fleet.eventually(async () => {
      expect((await fleet.admin.cluster('c1'))?.status?.clusterClaims).toBeUndefined();
    });
    const quiet = (await fleet.admin.cluster('c1'))?.metadata?.resourceVersion;
    await fleet.clock.advance(5 * 60_000);
    expect((await fleet.admin.cluster('c1'))?.metadata?.resourceVersion).toBe(quiet);

    const handle = fleet.hub.client.resource(managedClusters);
    const say = async (type: string, status: 'False' | 'Unknown') => {
      const { conditions } = (await handle.get('c1')).status ?? {};
      const next = setConditions(conditions, [{ type, status, reason: 'R', message: 'm' }], fleet.clock.now());
      await handle.status.patch('c1', { type: 'merge', body: { status: { conditions: next } } });
    };
    await say('ManagedClusterConditionClockSynced', 'False');
    await spoke.resource(nodes).delete('n1');
    await fleet.eventually(async () => {
      expect((await fleet.admin.cluster('c1'))?.status?.allocatable).not.toEqual(amounts);
    });
    // A hub of OCM takes a cluster for lost whose clock is behind, whatever it says: they must not contradict each other in a loop.
    const available = async () =>
      findCondition((await fleet.admin.cluster('c1'))?.status?.conditions, 'ManagedClusterConditionAvailable')?.status;
    await say('ManagedClusterConditionAvailable', 'Unknown');
    await fleet.eventually(async () => expect(await available()).toBe('True'));
    await say('ManagedClusterConditionAvailable', 'Unknown');
    await fleet.clock.advance(30_000);
    expect(await available()).toBe('Unknown');
    await fleet.clock.advance(60_000);
    expect(await available()).toBe('True');
  });

  it('[registration-agent 19.10-119] keeps the namespaces that cluster sets ask for', async () => {
    await using fleet = await startCsrFleet();
    await joined(fleet);
    const ask = (managedNamespaces: object[]) =>
      fleet.hub.client
        .resource(managedClusters)
        .status.patch('c1', { type: 'merge', body: { status: { managedNamespaces } } });
    await ask([{ clusterSet: 's', name: 'team' }]);
    await fleet.eventually(async () => {
      const [entry] = (await fleet.admin.cluster('c1'))?.status?.managedNamespaces ?? [];
      expect(entry?.conditions?.[0]).toMatchObject({ type: 'NamespaceAvailable', reason: 'NamespaceApplied' });
    });
    const labelsOf = async () =>
      Object.values((await fleet.spoke.client.resource(namespaces).get('team')).metadata?.labels ?? {});
    expect(await labelsOf()).toContain('true');
    await ask([]);
    await fleet.eventually(async () => expect(await labelsOf()).toContain('false'));
  });

  it('[registration-agent 19.10-102] comes back by itself when its ManagedCluster was deleted and is accepted anew', async () => {
    await using fleet = await startCsrFleet();
    const agent = await joined(fleet);
    await fleet.hub.client.resource(managedClusters).delete('c1');
    await fleet.eventually(() => expect(agent.state.phase).toBe('joining'));
    await fleet.hub.client
      .resource(managedClusters)
      .create({ metadata: { name: 'c1' }, spec: { hubAcceptsClient: true } });
    await fleet.admin.accept('c1');
    await running(fleet, agent);
  });

  it('sees its add-ons as soon as it is accepted again, a long time after it was denied', async () => {
    await using fleet = await startCsrFleet();
    const agent = await joined(fleet);
    await fleet.admin.deny('c1');
    await fleet.eventually(() => expect(agent.state.phase).toBe('joining'));
    await fleet.clock.advance(1_000_000);
    const addons = fleet.hub.client.resource(managedClusterAddOns);
    await addons.create({ metadata: { name: 'work', namespace: 'c1' }, spec: {} });
    await fleet.admin.accept('c1');
    const acceptedAt = fleet.clock.now();
    await fleet.eventually(async () => {
      expect((await addons.get('c1/work')).status?.conditions).toBeDefined();
    }, 500);
    expect(fleet.clock.now() - acceptedAt).toBeLessThan(5000);
  });

  it('gives other parts of the process a connection in which renewed credentials arrive', async () => {
    await using fleet = await startCsrFleet();
    const agent = await joined(fleet);
    const hubs: (JoinedHub | undefined)[] = [];
    agent.agent.hub$.subscribe((hub) => hubs.push(hub));
    await fleet.eventually(() => expect(hubs.at(-1)).toBeDefined());
    const hub = hubs.at(-1);
    const transport = hub?.connect().transport;
    const certificate = async () => {
      const path = '/apis/cluster.open-cluster-management.io/v1/managedclusters/c1';
      await transport?.request({ method: 'GET', path });
      return fleet.network.lastAccess()?.clientCertificate;
    };
    const before = await certificate();
    expect(before).toBeDefined();
    await fleet.eventually(async () => expect(await certificate()).not.toEqual(before), 60_000);
    expect(hubs.at(-1)).toBe(hub);
    // Credentials that are lost are asked for anew: the hub is the same.
    await fleet.spoke.client.resource(secrets).delete(secretKey);
    await fleet.eventually(() => expect(agent.state.phase).toBe('bootstrapping'));
    await running(fleet, agent);
    expect(hubs.at(-1)).toBe(hub);
    fleet.bootstrap.set({ clusterName: 'another hub' });
    await fleet.eventually(() => expect(hubs.at(-1)).toBeUndefined());
  });

  it('keeps the hub for other parts of the process when the rights of registration are taken away', async () => {
    await using fleet = await startCsrFleet();
    const running = await joined(fleet);
    const hubs: (JoinedHub | undefined)[] = [];
    running.agent.hub$.subscribe((hub) => hubs.push(hub));
    await fleet.eventually(() => expect(hubs.at(-1)).toBeDefined());
    await fleet.hub.client.resource(clusterRoleBindings).delete('open-cluster-management:managedcluster:c1');
    await fleet.hub.client.resource(roleBindings).delete('c1/registration');
    await fleet.eventually(() => expect(running.history.map(({ state }) => state.phase)).toContain('bootstrapping'));
    await fleet.pass(10 * 60_000);
    expect(hubs).toEqual([hubs[0]]);
    await running.stop();
    expect(hubs).toEqual([hubs[0], undefined]);

    const restarted = fleet.startAgent();
    const after: (JoinedHub | undefined)[] = [];
    restarted.agent.hub$.subscribe((hub) => after.push(hub));
    await fleet.eventually(() => expect(after.at(-1)).toBeDefined());
  });

  it('opens the watches of other parts of the process again when the hub accepts the cluster after all', async () => {
    await using fleet = await startCsrFleet();
    const agent = fleet.startAgent();
    let granted = 0;
    agent.agent.hub$.subscribe((hub) => hub?.connect().transport.accessChanged.subscribe(() => (granted += 1)));
    await fleet.eventually(async () => {
      await decideAll(fleet.hub.client, 'Approved', fleet.clock.now());
      expect(agent.state.phase).toBe('joining');
    });
    await fleet.pass(60_000);
    expect(granted).toBe(0);
    await fleet.admin.accept('c1');
    await fleet.eventually(() => expect(granted).toBeGreaterThan(0));
  });
});
