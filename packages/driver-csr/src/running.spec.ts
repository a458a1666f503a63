import { managedClusterAddOns, managedClusters } from '@flotilla/api-types';
import { findCondition, leases, namespaces, nodes, parseTime, secrets, setConditions } from '@flotilla/kube';
import { certificateUser, type JoinedHub, startTestFleet } from '@flotilla/registration-core/testing';
import { describe, expect, it } from 'vitest';
import { csrFleet, joined, running } from './fixtures/fleet.ts';

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

  it('gives other parts of the process an access in which renewed credentials arrive', async () => {
    await using fleet = await startCsrFleet();
    const { agent } = await joined(fleet);
    const hubs: (JoinedHub | undefined)[] = [];
    agent.hub$.subscribe((hub) => hubs.push(hub));
    await fleet.eventually(() => expect(hubs.at(-1)).toBeDefined());
    const hub = hubs.at(-1);
    const before = await hub?.access.current();
    await fleet.eventually(async () => {
      expect((await hub?.access.current())?.clientCertificate).not.toEqual(before?.clientCertificate);
    }, 60_000);
    expect(hubs.at(-1)).toBe(hub);
    await fleet.spoke.client.resource(secrets).delete(secretKey);
    await fleet.eventually(() => expect(hubs.at(-1)).toBeUndefined());
  });
});
