import { Label, type ManagedCluster, type ManagedClusterSet } from '@flotilla/api-types';
import { afterEach, describe, expect, it } from 'vitest';
import { handlesOf, newCluster, type RunningHub, startHub } from '../fixtures/running-hub.ts';
import { managedNamespacesOf } from './managed-namespaces.policy.ts';

const set = (name: string, namespaces: string[], metadata = {}): ManagedClusterSet => ({
  metadata: { name, ...metadata },
  spec: { managedNamespaces: namespaces.map((namespace) => ({ name: namespace })) },
});
const entry = (clusterSet: string, name: string) => ({ clusterSet, name });
const cluster = (...entries: ReturnType<typeof entry>[]): ManagedCluster =>
  newCluster('c1', { status: { managedNamespaces: entries } });
const deletionTimestamp = '2026-01-01T00:00:00Z';

describe('the managed namespaces of a cluster', () => {
  it.each([
    ['none and none', cluster(), [], undefined],
    ['none, but the status has some', cluster(entry('s1', 'a')), [], []],
    ['one set with two', cluster(), [set('s1', ['b', 'a'])], [entry('s1', 'a'), entry('s1', 'b')]],
    ['two sets', cluster(), [set('s2', ['a']), set('s1', ['b'])], [entry('s1', 'b'), entry('s2', 'a')]],
    ['the same', cluster(entry('s1', 'a')), [set('s1', ['a'])], undefined],
    ['a set on its way out', cluster(entry('s1', 'a')), [set('s1', ['a'], { deletionTimestamp })], []],
  ])('[registration-hub 102] %s', (_, before, sets, after) => {
    expect(managedNamespacesOf(before, sets)).toEqual(after);
  });
});

describe('the managed namespace controller', () => {
  let hub: RunningHub;
  afterEach(() => hub.stop());

  it('[registration-hub 103, 105, W7] follows sets and clusters, and keeps what the agent said', async () => {
    hub = await startHub();
    const { clusters, sets } = handlesOf(hub);
    const status = async () => (await clusters.get('c1')).status?.managedNamespaces;
    await clusters.create(newCluster('c1', { metadata: { labels: { [Label.ClusterSet]: 's1' } } }));
    await sets.create(set('s1', ['a']));
    await hub.quiet();
    expect(await status()).toEqual([entry('s1', 'a')]);

    const condition = {
      type: 'NamespaceAvailable',
      status: 'True',
      reason: 'NamespaceApplied',
      message: 'ok',
      lastTransitionTime: deletionTimestamp,
    };
    const managedNamespaces = [{ ...entry('s1', 'a'), conditions: [condition] }];
    await clusters.status.patch('c1', { type: 'merge', body: { status: { managedNamespaces } } });
    await sets.patch('s1', { type: 'merge', body: { spec: { managedNamespaces: [{ name: 'a' }, { name: 'b' }] } } });
    await hub.quiet();
    expect(await status()).toEqual([...managedNamespaces, entry('s1', 'b')]);

    await sets.patch('global', { type: 'merge', body: { spec: { managedNamespaces: [{ name: 'g' }] } } });
    await hub.quiet();
    expect(await status()).toEqual([entry('global', 'g'), ...managedNamespaces, entry('s1', 'b')]);
    hub.takeWrites();
    await hub.restart();
    expect(hub.takeWrites()).toEqual([]);

    await sets.delete('s1');
    await hub.quiet();
    expect(await status()).toEqual([entry('global', 'g')]);
  });

  it('[registration-hub 104] leaves a cluster alone that is on its way out', async () => {
    hub = await startHub();
    const { clusters, sets } = handlesOf(hub);
    await clusters.create(newCluster('c1', { metadata: { finalizers: ['example.com/hold'] } }));
    await hub.quiet();
    await clusters.delete('c1');
    await hub.quiet();
    await sets.patch('global', { type: 'merge', body: { spec: { managedNamespaces: [{ name: 'g' }] } } });
    await hub.quiet();
    expect((await clusters.get('c1')).status?.managedNamespaces).toBeUndefined();
  });
});
