import { Label, type ManagedClusterSet, type ManagedClusterSetSpec } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { handlesOf, newCluster, type RunningHub, startHub } from '../fixtures/running-hub.ts';
import { isMember } from './membership.ts';

const inSet = (name: string, set: string, labels = {}) =>
  newCluster(name, { metadata: { labels: { [Label.ClusterSet]: set, ...labels } } });
const set = (name: string, clusterSelector?: ManagedClusterSetSpec['clusterSelector']): ManagedClusterSet => ({
  metadata: { name },
  spec: { clusterSelector },
});

describe('membership', () => {
  it.each<[string, ManagedClusterSetSpec['clusterSelector'], boolean]>([
    ['no selector', undefined, true],
    ['the exclusive type', { selectorType: 'ExclusiveClusterSetLabel' }, true],
    [
      'a label selector that matches',
      { selectorType: 'LabelSelector', labelSelector: { matchLabels: { vendor: 'OpenShift' } } },
      true,
    ],
    [
      'a label selector that does not',
      { selectorType: 'LabelSelector', labelSelector: { matchLabels: { vendor: 'x' } } },
      false,
    ],
    ['an empty label selector', { selectorType: 'LabelSelector', labelSelector: {} }, true],
    ['no label selector', { selectorType: 'LabelSelector' }, false],
  ])('[registration-hub 93, 94] [placement 15.1-5] with %s', (_, selector, member) => {
    expect(isMember(set('s1', selector), inSet('c1', 's1', { vendor: 'OpenShift' }))).toBe(member);
  });

  it('[placement 15.1-14, 15.1-15] is in every set whose selector matches', () => {
    const sets = [
      set('dev'),
      set('openshift', { selectorType: 'LabelSelector', labelSelector: { matchLabels: { vendor: 'openshift' } } }),
      set('global', { selectorType: 'LabelSelector', labelSelector: {} }),
    ];
    const setsOf = (cluster: ReturnType<typeof newCluster>) =>
      sets.filter((each) => isMember(each, cluster)).map(({ metadata }) => metadata?.name);
    expect(setsOf(inSet('c1', 'dev', { vendor: 'openshift' }))).toEqual(['dev', 'openshift', 'global']);
    expect(setsOf(newCluster('c3'))).toEqual(['global']);
  });

  it('[registration-hub 94] [placement 15.1-6] refuses a type that it does not know', () => {
    const odd = JSON.parse('{"metadata":{"name":"s"},"spec":{"clusterSelector":{"selectorType":"Other"}}}');
    expect(() => isMember(odd, inSet('c1', 's'))).toThrow('selectorType is not right: Other');
  });
});

describe('sets', () => {
  let hub: RunningHub;
  afterEach(() => hub.stop());
  const empty = async (name: string) => {
    const { conditions } = (await handlesOf(hub).sets.get(name)).status ?? {};
    const { status, reason, message } = findCondition(conditions, 'ClusterSetEmpty') ?? {};
    return { status, reason, message };
  };
  const none = { status: 'True', reason: 'NoClusterMatched', message: 'No ManagedCluster selected' };
  const some = (count: number) => ({
    status: 'False',
    reason: 'ClustersSelected',
    message: `${count} ManagedClusters selected`,
  });

  it('[registration-hub 93, 96, 97] [placement 15.1-1, 15.1-2, 15.1-3, 15.1-4, 15.1-7, 15.1-8] say how many clusters they have, as clusters come, move and go', async () => {
    hub = await startHub();
    const { clusters, sets } = handlesOf(hub);
    await sets.create(set('s1'));
    await sets.create(set('s2'));
    await sets.create(set('edge', { selectorType: 'LabelSelector', labelSelector: { matchLabels: { edge: 'yes' } } }));
    await hub.quiet();
    expect(await empty('s1')).toEqual(none);
    await clusters.create(inSet('c1', 's1', { edge: 'yes' }));
    await clusters.create(inSet('c2', 's1'));
    await hub.quiet();
    expect(await empty('s1')).toEqual(some(2));
    expect(await empty('edge')).toEqual(some(1));
    expect(await empty('global')).toEqual(some(2));
    hub.takeWrites();
    const labels = { [Label.ClusterSet]: 's2', edge: null };
    await clusters.patch('c1', { type: 'merge', body: { metadata: { labels } } });
    await hub.quiet();
    expect([await empty('s1'), await empty('s2'), await empty('edge')]).toEqual([some(1), some(1), none]);
    expect(hub.takeWrites().filter((write) => write.includes('managedclustersets'))).toHaveLength(3);
    await clusters.delete('c2');
    await hub.quiet();
    expect(await empty('s1')).toEqual(none);
  });

  it('[registration-hub 106, W25] flag a broken selector, which does not stop the others', async () => {
    hub = await startHub();
    const { clusters, sets } = handlesOf(hub);
    const matchLabels = { 'not a key': 'x' };
    await sets.create(set('broken', { selectorType: 'LabelSelector', labelSelector: { matchLabels } }));
    await clusters.create(inSet('c1', 'default'));
    await hub.quiet();
    expect(await empty('global')).toEqual(some(1));
    expect((await empty('broken')).message).toBe(
      'No ManagedCluster selected: BadRequest: "not a key" is not a label key',
    );
  });

  it('[registration-hub 98, 99] [placement 15.1-9, 15.1-10, 15.1-12, 15.1-13] default and global are made, restored and made again', async () => {
    hub = await startHub();
    const { sets } = handlesOf(hub);
    expect((await sets.get('default')).spec).toEqual({ clusterSelector: { selectorType: 'ExclusiveClusterSetLabel' } });
    expect((await sets.get('global')).spec).toEqual({
      clusterSelector: { selectorType: 'LabelSelector', labelSelector: {} },
    });
    const metadata = { labels: { mine: 'yes' } };
    const spec = { clusterSelector: { selectorType: 'LabelSelector', labelSelector: { matchLabels: { a: 'b' } } } };
    const managedNamespaces = [{ name: 'ns1' }];
    await sets.patch('default', { type: 'merge', body: { metadata, spec: { ...spec, managedNamespaces } } });
    await sets.patch('global', { type: 'merge', body: { metadata, spec } });
    await hub.quiet();
    const restored = await sets.get('default');
    expect(restored.spec).toEqual({ clusterSelector: { selectorType: 'ExclusiveClusterSetLabel' }, managedNamespaces });
    expect(restored.metadata?.labels).toEqual({ mine: 'yes' });
    const global = await sets.get('global');
    expect(global.spec?.clusterSelector?.labelSelector).toEqual({});
    expect(global.metadata?.labels).toEqual({ mine: 'yes' });
    for (const name of ['default', 'global']) await sets.delete(name);
    await hub.quiet();
    expect(await sets.find('default')).toBeDefined();
    expect((await sets.get('global')).spec?.clusterSelector?.labelSelector).toEqual({});
    hub.takeWrites();
    await hub.restart();
    await hub.pass(60_000);
    expect(hub.takeWrites()).toEqual([]);
  });

  it('[registration-hub 98] [placement 15.1-11] leave a selector alone that the user wants to keep', async () => {
    hub = await startHub();
    const { sets } = handlesOf(hub);
    const metadata = { annotations: { 'cluster.open-cluster-management.io/autoupdate': 'false' } };
    const spec = { clusterSelector: { selectorType: 'LabelSelector', labelSelector: { matchLabels: { a: 'b' } } } };
    await sets.patch('global', { type: 'merge', body: { metadata, spec } });
    await hub.quiet();
    expect((await sets.get('global')).spec).toEqual(spec);
  });

  it('are not made with the gate off', async () => {
    hub = await startHub({ gates: { DefaultClusterSet: false } });
    expect((await handlesOf(hub).sets.list()).items).toEqual([]);
  });

  it('[registration-hub 100, 101] [placement 15.1-16, 15.1-17, 15.1-18, 15.1-19, 15.1-20] bindings say whether their set exists, as it comes and goes', async () => {
    hub = await startHub();
    const { sets, bindings, namespaces } = handlesOf(hub);
    await namespaces.create({ metadata: { name: 'ns1' } });
    await namespaces.create({ metadata: { name: 'ns2' } });
    for (const key of ['ns1/s1', 'ns2/s1', 'ns1/s2']) {
      const [namespace, name] = key.split('/');
      await bindings.create({ metadata: { namespace, name }, spec: { clusterSet: name } });
    }
    await hub.quiet();
    const bound = async (key: string) => findCondition((await bindings.get(key)).status?.conditions, 'Bound');
    expect(await bound('ns1/s1')).toMatchObject({ status: 'False', reason: 'ClusterSetNotFound', message: '' });
    hub.takeWrites();
    await sets.create(set('s1'));
    await hub.quiet();
    expect(await bound('ns1/s1')).toMatchObject({ status: 'True', reason: 'ClusterSetBound', message: '' });
    expect(hub.takeWrites().filter((write) => write.includes('bindings'))).toHaveLength(2);
    await hub.restart();
    expect(hub.takeWrites().filter((write) => write.includes('bindings'))).toEqual([]);
    await sets.delete('s1');
    await hub.quiet();
    expect(await bound('ns2/s1')).toMatchObject({ status: 'False', reason: 'ClusterSetNotFound' });
  });
});
