import { findCondition } from '@flotilla/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { handlesOf, newCluster, type RunningHub, startHub, testDriver } from '../fixtures/running-hub.ts';
import type { StartedDriver } from './start-drivers.ts';

let hub: RunningHub;
afterEach(() => hub.stop());

const finalizer = 'open-cluster-management.io/cloud-permissions';
const cloud = testDriver({
  authType: 'cloud',
  external: { create: async () => ({ kind: 'done' }), remove: async () => ({ kind: 'done' }) },
});
const ready = async () =>
  findCondition((await handlesOf(hub).clusters.get('c1')).status?.conditions, 'cloud/PermissionsReady');

/** A cluster of a driver that the hub does not run since its last start. */
const startDisabled = async (options = {}): Promise<StartedDriver[]> => {
  const drivers = [testDriver(), cloud];
  hub = await startHub({ drivers, options });
  await handlesOf(hub).clusters.create(newCluster('c1', { spec: { hubAcceptsClient: true } }));
  await hub.quiet();
  await hub.restart(() => drivers.pop());
  return drivers;
};
const remove = async () => {
  await handlesOf(hub).clusters.delete('c1');
  await hub.quiet();
};

describe('the finalizer of a driver that the hub does not run', () => {
  it('is reported, once', async () => {
    await startDisabled();
    expect(await ready()).toMatchObject({ status: 'False', reason: 'DriverDisabled' });
    expect((await ready())?.message).toContain('add cloud to --enabled-registration-drivers of the hub');
    hub.takeWrites();
    await hub.restart();
    expect(hub.takeWrites()).toEqual([]);
  });

  it('keeps a deleted cluster, also past the timeout of a removal, and says how to end it', async () => {
    await startDisabled({ removalTimeoutMs: 60_000 });
    await remove();
    await hub.pass(3_600_000);
    expect((await handlesOf(hub).clusters.get('c1')).metadata?.finalizers).toEqual([finalizer]);
    expect((await ready())?.message).toContain('open-cluster-management.io/force-removal=true');
  });

  it('is released when an administrator forces the removal', async () => {
    await startDisabled();
    await remove();
    const body = { metadata: { annotations: { 'open-cluster-management.io/force-removal': 'true' } } };
    await handlesOf(hub).clusters.patch('c1', { type: 'merge', body });
    await hub.quiet();
    expect(await handlesOf(hub).clusters.find('c1')).toBeUndefined();
  });

  it('is released by its driver when the hub runs it again', async () => {
    const drivers = await startDisabled();
    await remove();
    await hub.restart(() => drivers.push(cloud));
    expect(await handlesOf(hub).clusters.find('c1')).toBeUndefined();
  });

  it('of another kind is not touched', async () => {
    hub = await startHub();
    const finalizers = ['example.com/cloud-permissions', 'open-cluster-management.io/hold'];
    const annotations = { 'open-cluster-management.io/force-removal': 'true' };
    await handlesOf(hub).clusters.create(newCluster('c1', { metadata: { name: 'c1', finalizers, annotations } }));
    await remove();
    expect((await handlesOf(hub).clusters.get('c1')).metadata?.finalizers).toEqual(finalizers);
  });
});
