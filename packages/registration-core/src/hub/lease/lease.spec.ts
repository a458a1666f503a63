import { Label, type ManagedCluster } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import { events, leases } from '@flotilla/kube/kinds';
import { formatMicroTime } from '@flotilla/kube/meta';
import { afterEach, describe, expect, it } from 'vitest';
import { handlesOf, newCluster, type RunningHub, startHub } from '../fixtures/running-hub.ts';

let hub: RunningHub;
afterEach(() => hub.stop());

const leaseKey = 'c1/managed-cluster-lease';
const available = ({ status }: ManagedCluster) =>
  findCondition(status?.conditions, 'ManagedClusterConditionAvailable')?.status;
const clockSynced = ({ status }: ManagedCluster) =>
  findCondition(status?.conditions, 'ManagedClusterConditionClockSynced');
const cluster = () => handlesOf(hub).clusters.get('c1');

const join = async (input: Parameters<typeof startHub>[0] = {}, leaseDurationSeconds = 60) => {
  hub = await startHub(input);
  await handlesOf(hub).clusters.create(newCluster('c1', { spec: { hubAcceptsClient: true, leaseDurationSeconds } }));
  await hub.quiet();
};
/** What the agent does: says that it is available. */
const reportAvailable = async () => {
  const current = await cluster();
  const reported = {
    type: 'ManagedClusterConditionAvailable',
    status: 'True',
    reason: 'ManagedClusterAvailable',
    message: 'Managed cluster is available',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const others = current.status?.conditions?.filter(({ type }) => type !== reported.type) ?? [];
  await handlesOf(hub).clusters.status.patch('c1', {
    type: 'merge',
    body: { status: { conditions: [...others, reported] } },
  });
  await hub.quiet();
};
/** What the agent does: renews its lease, with a clock that may be wrong. */
const beat = async (skewMs = 0) => {
  const renewTime = formatMicroTime(hub.clock.now() + skewMs);
  await handlesOf(hub).leases.patch(leaseKey, { type: 'merge', body: { spec: { renewTime } } });
  await hub.quiet();
};

describe('heartbeats', () => {
  it('[registration-hub 76] creates no lease for a cluster that is not accepted', async () => {
    hub = await startHub();
    await handlesOf(hub).clusters.create(newCluster('c1'));
    await hub.pass(600_000);
    expect((await handlesOf(hub).leases.list()).items).toEqual([]);
    expect(available(await cluster())).toBeUndefined();
  });

  it('[registration-hub 78] makes the lease of an accepted cluster', async () => {
    await join();
    const { metadata, spec } = await handlesOf(hub).leases.get(leaseKey);
    expect(metadata?.labels).toEqual({ [Label.ClusterName]: 'c1' });
    expect(spec).toEqual({ holderIdentity: 'managed-cluster-lease', renewTime: '2026-01-01T00:00:00.000000Z' });
  });

  it('[registration-hub 77, 79] watches denied clusters too', async () => {
    await join();
    const { clusters, leases } = handlesOf(hub);
    await clusters.patch('c1', { type: 'merge', body: { spec: { hubAcceptsClient: false } } });
    await hub.quiet();
    await leases.delete(leaseKey);
    await hub.quiet();
    expect(await leases.find(leaseKey)).toBeDefined();
    await hub.pass(300_000);
    expect(available(await cluster())).toBe('Unknown');
  });

  it('[registration-hub 79, 82] makes a silent cluster unknown after five lease durations, once and with one Event', async () => {
    await join();
    await reportAvailable();
    hub.takeWrites();
    await hub.pass(299_000);
    expect(available(await cluster())).toBe('True');
    await hub.pass(1000);
    expect(findCondition((await cluster()).status?.conditions, 'ManagedClusterConditionAvailable')).toMatchObject({
      status: 'Unknown',
      reason: 'ManagedClusterLeaseUpdateStopped',
      message: 'Registration agent stopped updating its lease.',
    });
    await hub.pass(900_000);
    expect(hub.takeWrites().filter((write) => write.endsWith('/status'))).toEqual(['PATCH managedclusters/c1/status']);
    const { items } = await hub.plane.client.resource(events).list({ namespace: 'c1' });
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      type: 'Warning',
      reason: 'AvailableUnknown',
      action: 'AvailableUnknown',
      reportingController: 'registration-controller',
      regarding: { kind: 'ManagedCluster', name: 'c1', namespace: 'c1' },
      note: 'The c1 is successfully imported. However, the connection check from the managed cluster to the hub cluster has failed',
    });
  });

  it('[registration-hub 80, 85] leaves a cluster alone that renews, also when four of five renewals are lost', async () => {
    await join();
    await reportAvailable();
    await hub.pass(1000);
    await beat();
    hub.takeWrites();
    for (let round = 0; round < 5; round++) {
      await hub.pass(290_000);
      await beat();
    }
    expect(hub.takeWrites()).toEqual([]);
    expect(available(await cluster())).toBe('True');
  });

  it('[registration-hub 81] makes a cluster unknown at once that is deleted and has no lease', async () => {
    await join();
    const { clusters, leases } = handlesOf(hub);
    await clusters.patch('c1', { type: 'merge', body: { metadata: { finalizers: ['example.com/hold'] } } });
    await clusters.delete('c1');
    await hub.quiet();
    await leases.delete(leaseKey);
    await hub.quiet();
    expect(available(await cluster())).toBe('Unknown');
    expect(await leases.find(leaseKey)).toBeUndefined();
  });

  it('[registration-hub 84] ignores other leases of the namespace', async () => {
    await join();
    await reportAvailable();
    const metadata = { namespace: 'c1', name: 'cluster-lease-c1', labels: { [Label.ClusterName]: 'c1' } };
    await handlesOf(hub).leases.create({ metadata, spec: {} });
    await hub.pass(200_000);
    const renewTime = formatMicroTime(hub.clock.now());
    await handlesOf(hub).leases.patch('c1/cluster-lease-c1', { type: 'merge', body: { spec: { renewTime } } });
    await hub.pass(100_000);
    expect(available(await cluster())).toBe('Unknown');
  });

  it('[registration-hub 87] acts on a shorter lease duration at once', async () => {
    await join();
    await reportAvailable();
    await hub.pass(10_000);
    await handlesOf(hub).clusters.patch('c1', { type: 'merge', body: { spec: { leaseDurationSeconds: 1 } } });
    await hub.quiet();
    expect(available(await cluster())).toBe('Unknown');
  });

  it('notices failure within two lease durations where that is configured', async () => {
    await join({ options: { leaseGraceFactor: 2 } }, 15);
    await reportAvailable();
    await hub.pass(29_000);
    expect(available(await cluster())).toBe('True');
    await hub.pass(1000);
    expect(available(await cluster())).toBe('Unknown');
  });

  it.each([
    ['ten minutes behind', -600_000],
    ['ten minutes ahead', 600_000],
  ])('[registration-hub 88] decides about a cluster whose clock is %s by the clock of the hub', async (_, skew) => {
    await join();
    await reportAvailable();
    for (let round = 0; round < 3; round++) {
      await hub.pass(60_000);
      await beat(skew);
    }
    expect(available(await cluster())).toBe('True');
    // The hub does not trust the time in the lease when it starts anew either.
    await hub.restart();
    expect(available(await cluster())).toBe('True');
    await hub.pass(300_000);
    expect(available(await cluster())).toBe('Unknown');
  });

  it('does not take its own blindness for the silence of clusters', async () => {
    await join();
    await reportAvailable();
    await hub.pass(250_000);
    // Longer than the API server remembers: the hub has to list anew when it sees again.
    hub.blind(true);
    await hub.pass(900_000);
    expect(available(await cluster())).toBe('True');
    hub.blind(false);
    await hub.pass(200_000);
    expect(available(await cluster())).toBe('True');
    await hub.pass(200_000);
    expect(available(await cluster())).toBe('Unknown');
  });

  it('does not make a cluster unknown at each late heartbeat that comes and goes', async () => {
    await join({ options: { leaseGraceFactor: 2 } }, 15);
    const seen: (string | undefined)[] = [];
    for (let round = 0; round < 12; round++) {
      await reportAvailable();
      await beat();
      await hub.pass(40_000);
      seen.push(available(await cluster()));
    }
    // Forty seconds are too long for a steady cluster, and not for one that was just unknown for it.
    expect(seen.filter((status) => status === 'Unknown')).toHaveLength(2);
    await hub.pass(30_000);
    expect(available(await cluster())).toBe('Unknown');
  });

  it('knows at its start that a cluster fell silent while no hub was there', async () => {
    await join({
      prepare: async (plane, clock) => {
        const { clusters, namespaces, leases } = handlesOf({ plane });
        await namespaces.create({ metadata: { name: 'c2' } });
        await clusters.create(newCluster('c2', { spec: { hubAcceptsClient: true } }));
        const renewTime = formatMicroTime(clock.now() - 300_000);
        const metadata = { namespace: 'c2', name: 'managed-cluster-lease', labels: { [Label.ClusterName]: 'c2' } };
        await leases.create({ metadata, spec: { renewTime } });
      },
    });
    expect(available(await handlesOf(hub).clusters.get('c2'))).toBe('Unknown');
  });

  it('[registration-hub 92, W8] takes a lease without a time for an expired one', async () => {
    await join();
    await reportAvailable();
    await handlesOf(hub).leases.patch(leaseKey, { type: 'merge', body: { spec: { renewTime: null } } });
    await hub.pass(300_000);
    expect(available(await cluster())).toBe('Unknown');
    expect(clockSynced(await cluster())?.status).toBe('False');
  });

  it('[registration-hub W22] takes over a lease without the label', async () => {
    hub = await startHub();
    const { clusters, namespaces, leases } = handlesOf(hub);
    await namespaces.create({ metadata: { name: 'c1' } });
    await leases.create({ metadata: { namespace: 'c1', name: 'managed-cluster-lease' }, spec: {} });
    await clusters.create(newCluster('c1', { spec: { hubAcceptsClient: true } }));
    await hub.quiet();
    expect((await leases.get(leaseKey)).metadata?.labels).toEqual({ [Label.ClusterName]: 'c1' });
  });
});

describe('a lease that carries the label of another cluster', () => {
  /** What the agent of c2 does with nothing but its own rights: renews or clears its lease under the label of c1. */
  const forge = async (renewTime: string | null) => {
    const own = hub.plane.clientOf({
      name: 'system:open-cluster-management:c2:agent',
      groups: ['system:open-cluster-management:c2', 'system:authenticated'],
    });
    const lease = await own.resource(leases).get('c2/managed-cluster-lease');
    const { renewTime: _, ...spec } = lease.spec ?? {};
    await own.resource(leases).replace({
      ...lease,
      metadata: { ...lease.metadata, labels: { ...lease.metadata?.labels, [Label.ClusterName]: 'c1' } },
      spec: { ...spec, ...(renewTime !== null && { renewTime }) },
    });
    await hub.quiet();
  };
  const joinBoth = async () => {
    await join();
    await handlesOf(hub).clusters.create(newCluster('c2', { spec: { hubAcceptsClient: true } }));
    await hub.quiet();
    await reportAvailable();
  };

  it('does not keep that cluster available', async () => {
    await joinBoth();
    for (let minute = 0; minute < 6; minute++) {
      await forge(formatMicroTime(hub.clock.now()));
      await hub.pass(60_000);
    }
    expect(available(await cluster())).toBe('Unknown');
  });

  it('does not make that cluster unknown', async () => {
    await joinBoth();
    for (let minute = 0; minute < 12; minute++) {
      await beat();
      await forge(minute % 2 ? null : formatMicroTime(hub.clock.now() - 3_600_000));
      await hub.pass(60_000);
      expect(available(await cluster())).toBe('True');
    }
    expect(clockSynced(await cluster())?.status).toBe('True');
  });

  it('gets its own label back, and is no heartbeat of its own cluster', async () => {
    await joinBoth();
    await forge(formatMicroTime(hub.clock.now()));
    const { metadata } = await handlesOf(hub).leases.get('c2/managed-cluster-lease');
    expect(metadata?.labels).toEqual({ [Label.ClusterName]: 'c2' });
    hub.takeWrites();
    await hub.pass(200_000);
    expect(hub.takeWrites()).toEqual([]);
  });
});

describe('a lease with the label of an add-on', () => {
  /** What the agent of c1 does with nothing but its own rights. */
  const hide = async () => {
    const own = hub.plane.clientOf({
      name: 'system:open-cluster-management:c1:agent',
      groups: ['system:open-cluster-management:c1', 'system:authenticated'],
    });
    const lease = await own.resource(leases).get(leaseKey);
    const labels = { ...lease.metadata?.labels, [Label.AddOnName]: 'some-addon' };
    await own.resource(leases).replace({ ...lease, metadata: { ...lease.metadata, labels } });
    await hub.quiet();
  };

  it('gets its own labels back and hides no silence', async () => {
    await join();
    await reportAvailable();
    await hub.pass(200_000);
    await hide();
    expect((await handlesOf(hub).leases.get(leaseKey)).metadata?.labels).toEqual({ [Label.ClusterName]: 'c1' });
    await hub.pass(100_000);
    expect(available(await cluster())).toBe('Unknown');
  });

  it('does not keep a cluster available that hides it again and again without a heartbeat', async () => {
    await join();
    await reportAvailable();
    for (let minute = 0; minute < 5; minute++) {
      await hide();
      await hub.pass(60_000);
    }
    expect(available(await cluster())).toBe('Unknown');
  });

  it('hides no silence where the hub cannot write the labels', async () => {
    await join();
    await reportAvailable();
    hub.failWith(({ method, path }) => (method === 'PATCH' && path.includes('/leases/') ? 'Forbidden' : undefined));
    await hide();
    await hub.pass(299_000);
    expect(available(await cluster())).toBe('True');
    // The next attempt to write the labels comes with a back-off of at most some minutes.
    await hub.pass(600_000);
    expect(available(await cluster())).toBe('Unknown');
  });
});

describe('clocks', () => {
  it('[registration-hub 88] says by each heartbeat whether they agree, and writes only a change', async () => {
    await join();
    await beat(5000);
    expect(clockSynced(await cluster())).toMatchObject({
      status: 'True',
      reason: 'ManagedClusterClockSynced',
      message: 'The clock of the managed cluster is synced with the hub.',
    });
    await beat(301_000);
    expect(clockSynced(await cluster())).toMatchObject({
      status: 'False',
      reason: 'ManagedClusterClockOutOfSync',
      message:
        'The clock of hub and agent is out of sync. This may cause the Unknown status and affect agent functionalities.',
    });
    hub.takeWrites();
    await beat(302_000);
    expect(hub.takeWrites()).toEqual([]);
    await beat(-301_000);
    expect(clockSynced(await cluster())?.status).toBe('False');
    await beat(1);
    expect(clockSynced(await cluster())?.status).toBe('True');
  });
});
