import type { ManagedClusterAddOn } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import type { Condition } from '@flotilla/schema';
import { afterEach, describe, expect, it } from 'vitest';
import { handlesOf, newCluster, type RunningHub, startHub } from '../fixtures/running-hub.ts';
import { featureLabelChanges, featureValue, lostAddOn } from './addon.policy.ts';

const condition = (type: string, status: Condition['status']): Condition => ({
  type,
  status,
  reason: 'Because',
  message: 'for a reason',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const addOn = (name: string, status?: Condition['status'], metadata = {}): ManagedClusterAddOn => ({
  metadata: { namespace: 'c1', name, ...metadata },
  spec: {},
  status: { conditions: status ? [condition('Available', status)] : [] },
});
const available = (status: Condition['status']) => condition('ManagedClusterConditionAvailable', status);
const label = (name: string) => `feature.open-cluster-management.io/addon-${name}`;

describe('what add-ons say about their cluster', () => {
  it.each([
    [undefined, 'unreachable'],
    ['True', 'available'],
    ['False', 'unhealthy'],
    ['Unknown', 'unreachable'],
  ] as const)('[registration-hub 107] [addons 108] Available %s gives the label %s', (status, value) => {
    expect(featureValue(addOn('a', status))).toBe(value);
  });

  it('[registration-hub 108] labels what is there and removes what is not', () => {
    const cluster = newCluster('c1', { metadata: { labels: { [label('addon4')]: 'available', other: 'x' } } });
    const going = addOn('addon2', 'True', { deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(featureLabelChanges(cluster, [addOn('addon1'), going, addOn('addon3', 'True')])).toEqual({
      [label('addon1')]: 'unreachable',
      [label('addon3')]: 'available',
      [label('addon4')]: null,
    });
  });

  it('[registration-hub 110] are unknown only when the cluster is', () => {
    const cluster = (...conditions: Condition[]) => newCluster('c1', { status: { conditions } });
    expect(lostAddOn(cluster())).toBeUndefined();
    expect(lostAddOn(cluster(available('True')))).toBeUndefined();
    expect(lostAddOn(cluster(available('Unknown')))).toEqual({
      type: 'Available',
      status: 'Unknown',
      reason: 'Because',
      message: 'for a reason',
    });
  });
});

describe('the add-on controllers', () => {
  let hub: RunningHub;
  afterEach(() => hub.stop());
  const labels = async () => (await handlesOf(hub).clusters.get('c1')).metadata?.labels;

  it('[registration-hub 109, 110] [addons 107] follow clusters and add-ons, also those made while the cluster is unknown', async () => {
    hub = await startHub();
    const { clusters, addons } = handlesOf(hub);
    await clusters.create(newCluster('c1', { spec: { hubAcceptsClient: true } }));
    await hub.quiet();
    await addons.create(addOn('addon1'));
    await hub.quiet();
    expect(await labels()).toBeUndefined();

    const conditions = [...((await clusters.get('c1')).status?.conditions ?? []), available('True')];
    await clusters.status.patch('c1', { type: 'merge', body: { status: { conditions } } });
    const up = { conditions: [condition('Available', 'True')] };
    await addons.status.patch('c1/addon1', { type: 'merge', body: { status: up } });
    await hub.quiet();
    expect(await labels()).toEqual({ [label('addon1')]: 'available' });

    await hub.pass(300_000);
    const health = async (name: string) =>
      findCondition((await addons.get(`c1/${name}`)).status?.conditions, 'Available');
    expect(await health('addon1')).toMatchObject({
      status: 'Unknown',
      reason: 'ManagedClusterLeaseUpdateStopped',
      message: 'Registration agent stopped updating its lease.',
    });
    await addons.create(addOn('addon2'));
    await hub.quiet();
    expect((await health('addon2'))?.status).toBe('Unknown');
    expect(await labels()).toEqual({ [label('addon1')]: 'unreachable', [label('addon2')]: 'unreachable' });

    await addons.delete('c1/addon1');
    await hub.quiet();
    expect(await labels()).toEqual({ [label('addon2')]: 'unreachable' });
    hub.takeWrites();
    await hub.restart();
    expect(hub.takeWrites()).toEqual([]);
  });
});
