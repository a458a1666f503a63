import { findCondition } from '@flotilla/kube';
import { afterEach, describe, expect, it } from 'vitest';
import type { Progress } from '../../contract/index.ts';
import { handlesOf, newCluster, newWork, type RunningHub, startHub, testDriver } from '../fixtures/running-hub.ts';
import type { StartedDriver } from './start-drivers.ts';

let hub: RunningHub;
afterEach(() => hub.stop());

const finalizer = 'open-cluster-management.io/cloud-permissions';

/** A driver that records its calls, and does what the test lets it. */
function cloudDriver(parts: Partial<StartedDriver> = {}) {
  const calls: string[] = [];
  const cloud = {
    calls,
    create: async (): Promise<Progress> => ({ kind: 'done' }),
    remove: async (): Promise<Progress> => ({ kind: 'done' }),
  };
  const driver = testDriver({
    authType: 'cloud',
    external: {
      create({ metadata }) {
        calls.push(`create ${metadata?.name}`);
        return cloud.create();
      },
      remove({ metadata }) {
        calls.push(`remove ${metadata?.name}`);
        return cloud.remove();
      },
    },
    ...parts,
  });
  return { cloud, driver };
}

const conditionOf = async (type: string, name = 'c1') =>
  findCondition((await handlesOf(hub).clusters.get(name)).status?.conditions, type);
const ready = () => conditionOf('cloud/PermissionsReady');

const startAccepted = async (driver: StartedDriver, gates = {}) => {
  hub = await startHub({ drivers: [driver], gates });
  await handlesOf(hub).clusters.create(newCluster('c1', { spec: { hubAcceptsClient: true } }));
  await hub.quiet();
};
const setAccepted = async (hubAcceptsClient: boolean) => {
  await handlesOf(hub).clusters.patch('c1', { type: 'merge', body: { spec: { hubAcceptsClient } } });
  await hub.quiet();
};

const declared = 'agent.open-cluster-management.io/registration-auth';
const acceptsOnly =
  (authType: string): StartedDriver['accepts'] =>
  ({ metadata }) =>
    metadata?.annotations?.[declared] === authType ? 'accept' : 'not mine';

describe('what a driver makes outside of the hub', () => {
  it('is made once for an accepted cluster, and not again until something changes', async () => {
    const { cloud, driver } = cloudDriver();
    await startAccepted(driver);
    expect(cloud.calls).toContain('create c1');
    expect(await ready()).toMatchObject({ status: 'True', reason: 'PermissionsReady' });
    expect((await handlesOf(hub).clusters.get('c1')).metadata?.finalizers).toContain(finalizer);
    cloud.calls.length = 0;
    hub.takeWrites();
    // It never reports, so that it becomes Unknown: the driver may look whether something is lost.
    await hub.pass(3_600_000);
    expect(cloud.calls.splice(0)).toEqual(['create c1']);
    await hub.pass(3_600_000);
    expect(cloud.calls).toEqual([]);
  });

  it('[registration-hub 18] does not hold up the acceptance of its cluster when it fails, and its words are a condition', async () => {
    const { cloud, driver } = cloudDriver();
    cloud.create = async () => {
      throw new Error('the hub of the join is another one');
    };
    await startAccepted(driver);
    expect(await conditionOf('HubAcceptedManagedCluster')).toMatchObject({ status: 'True' });
    expect(await ready()).toMatchObject({
      status: 'False',
      reason: 'Failed',
      message: 'the hub of the join is another one',
    });
    cloud.create = async () => ({ kind: 'done' });
    await hub.pass(10_000);
    expect(await ready()).toMatchObject({ status: 'True' });
  });

  it('delays no other cluster while it takes its time', async () => {
    const { cloud, driver } = cloudDriver({
      accepts: ({ metadata }) => (metadata?.name === 'c1' ? 'accept' : 'not mine'),
    });
    const { promise, resolve } = Promise.withResolvers<Progress>();
    cloud.create = () => promise;
    await startAccepted(driver);
    await handlesOf(hub).clusters.create(newCluster('c2', { spec: { hubAcceptsClient: true } }));
    await hub.quiet();
    expect(await conditionOf('HubAcceptedManagedCluster', 'c2')).toMatchObject({ status: 'True' });
    expect(await ready()).toBeUndefined();
    resolve({ kind: 'done' });
    await hub.quiet();
    expect(await ready()).toMatchObject({ status: 'True' });
  });

  it('is waited for with a reason, and checked for drift when it is there', async () => {
    const { cloud, driver } = cloudDriver();
    cloud.create = async () => ({ kind: 'waiting', why: 'IAM has yet to show the role', checkAfterMs: 5000 });
    await startAccepted(driver);
    expect(await ready()).toMatchObject({
      status: 'False',
      reason: 'Waiting',
      message: 'IAM has yet to show the role',
    });
    cloud.create = async () => ({ kind: 'done', checkAfterMs: 600_000 });
    await hub.pass(5000);
    expect(await ready()).toMatchObject({ status: 'True' });
    cloud.calls.length = 0;
    await hub.pass(600_000);
    expect(cloud.calls).toEqual(['create c1']);
  });

  it('is not made for the clusters of another driver, nor before the hub accepts', async () => {
    const { cloud, driver } = cloudDriver({ accepts: () => 'not mine' });
    await startAccepted(driver);
    expect(cloud.calls).toEqual([]);
    expect(await ready()).toBeUndefined();
  });

  it('is made for a cluster that an administrator accepts although the driver would not', async () => {
    const { cloud, driver } = cloudDriver({ accepts: () => 'refuse' });
    await startAccepted(driver);
    expect(cloud.calls).toContain('create c1');
  });

  it('[registration-hub 20] keeps a deleted cluster until its removal succeeds, whatever its agent writes into conditions', async () => {
    const { cloud, driver } = cloudDriver();
    await startAccepted(driver);
    cloud.remove = async () => {
      throw new Error('AccessDenied: iam:DeleteRole');
    };
    const { clusters, roleBindings } = handlesOf(hub);
    await clusters.delete('c1');
    await hub.quiet();
    expect((await clusters.get('c1')).metadata?.finalizers).toEqual([finalizer]);
    expect(await ready()).toMatchObject({ reason: 'Failed', message: 'AccessDenied: iam:DeleteRole' });
    expect((await roleBindings.list({ namespace: 'c1' })).items).toEqual([]);
    const removed = { type: 'cloud/PermissionsReady', status: 'False', reason: 'PermissionsRemoved', message: 'done' };
    const conditions = [{ ...removed, lastTransitionTime: '2026-01-01T00:00:00Z' }];
    await clusters.status.patch('c1', { type: 'merge', body: { status: { conditions } } });
    await hub.quiet();
    expect(await clusters.find('c1')).toBeDefined();
    cloud.remove = async () => ({ kind: 'done' });
    await hub.pass(60_000);
    expect(await clusters.find('c1')).toBeUndefined();
  });

  it.each([
    ['until its works are gone', () => handlesOf(hub).works.delete('c1/w1')],
    ['until it is denied', () => setAccepted(false)],
  ])('stays for a deleted cluster whose agent has works to remove, %s', async (_, end) => {
    const { cloud, driver } = cloudDriver();
    await startAccepted(driver, { ResourceCleanup: false });
    const { clusters, works } = handlesOf(hub);
    await works.create(newWork('c1', 'w1'));
    await hub.quiet();
    await clusters.delete('c1');
    await hub.quiet();
    expect(cloud.calls).not.toContain('remove c1');
    await end();
    await hub.quiet();
    expect(cloud.calls).toContain('remove c1');
  });

  it('is removed once when the cluster is denied, and made again when it is accepted', async () => {
    const { cloud, driver } = cloudDriver();
    await startAccepted(driver);
    cloud.calls.length = 0;
    await setAccepted(false);
    expect(cloud.calls).toEqual(['remove c1']);
    expect((await handlesOf(hub).clusters.get('c1')).metadata?.finalizers).not.toContain(finalizer);
    await setAccepted(true);
    expect(cloud.calls).toContain('create c1');
    expect(await ready()).toMatchObject({ status: 'True' });
  });

  it('is not made for a cluster that was accepted with another driver, and declares this one afterwards', async () => {
    const subjects = (name: string) => [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name } as const];
    const { cloud, driver } = cloudDriver({ accepts: acceptsOnly('cloud'), subjects });
    hub = await startHub({ drivers: [testDriver({ accepts: acceptsOnly('test') }), driver] });
    const { clusters } = handlesOf(hub);
    const metadata = { name: 'c1', annotations: { [declared]: 'test' } };
    await clusters.create(newCluster('c1', { metadata, spec: { hubAcceptsClient: true } }));
    await hub.quiet();
    const body = { metadata: { annotations: { [declared]: 'cloud' } } };
    await clusters.patch('c1', { type: 'merge', body });
    await hub.quiet();
    expect(cloud.calls).toEqual([]);
    // An administrator who accepts it anew accepts what it declares now.
    await setAccepted(false);
    await setAccepted(true);
    expect(cloud.calls).toContain('create c1');
  });

  it('is not made for a cluster of another driver with the same subjects', async () => {
    const { cloud, driver } = cloudDriver({ accepts: acceptsOnly('cloud') });
    hub = await startHub({ drivers: [testDriver({ authType: 'csr', accepts: acceptsOnly('csr') }), driver] });
    const { clusters } = handlesOf(hub);
    for (const [name, authType] of [
      ['c1', 'csr'],
      ['c2', 'cloud'],
    ] as const) {
      const metadata = { name, annotations: { [declared]: authType } };
      await clusters.create(newCluster(name, { metadata, spec: { hubAcceptsClient: true } }));
    }
    await hub.quiet();
    expect(new Set(cloud.calls)).toEqual(new Set(['create c2']));
    expect((await clusters.get('c1')).metadata?.finalizers).not.toContain(finalizer);
  });

  it('is removed after a restart of the hub, also if the agent changed its cluster to that of another driver', async () => {
    let isMine = true;
    const { cloud, driver } = cloudDriver({ accepts: () => (isMine ? 'accept' : 'not mine') });
    await startAccepted(driver);
    isMine = false;
    await hub.restart();
    cloud.calls.length = 0;
    await handlesOf(hub).clusters.delete('c1');
    await hub.quiet();
    expect(cloud.calls).toEqual(['remove c1']);
    expect(await handlesOf(hub).clusters.find('c1')).toBeUndefined();
  });
});
