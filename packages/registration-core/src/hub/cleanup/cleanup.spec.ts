import { Annotation, Finalizer, type ManagedClusterAddOn } from '@flotilla/api-types';
import { findCondition, isDeleting } from '@flotilla/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { forcedRemovalAnnotation } from '../../contract/index.ts';
import { handlesOf, newCluster, newWork, type RunningHub, startHub } from '../fixtures/running-hub.ts';

let hub: RunningHub;
afterEach(() => hub.stop());

const finalizers = [Finalizer.ManifestWorkCleanup];
const foreign = ['example.com/backup'];
const addOn = (name: string, metadata: ManagedClusterAddOn['metadata'] = {}): ManagedClusterAddOn => ({
  metadata: { namespace: 'c1', name, ...metadata },
  spec: {},
});
const free = { type: 'merge', body: { metadata: { finalizers: null } } } as const;

const startWithContent = async (input: Parameters<typeof startHub>[0] = {}) => {
  hub = await startHub(input);
  const { clusters, addons, works } = handlesOf(hub);
  await clusters.create(newCluster('c1', { spec: { hubAcceptsClient: true } }));
  await hub.quiet();
  await addons.create(addOn('addon1', { finalizers }));
  const withPriority = (priority: string) => ({ finalizers, annotations: { [Annotation.CleanupPriority]: priority } });
  await works.create(newWork('c1', 'work1', { finalizers }));
  await works.create(newWork('c1', 'work2', withPriority('100')));
  await works.create(newWork('c1', 'work3', withPriority('20')));
  await hub.quiet();
  hub.takeWrites();
};
const deleting = async () => {
  const { addons, works } = handlesOf(hub);
  const items = [...(await addons.list()).items, ...(await works.list()).items];
  return items.filter(isDeleting).map(({ metadata }) => metadata?.name);
};
const condition = async () => findCondition((await handlesOf(hub).clusters.get('c1')).status?.conditions, 'Deleting');

const force = { type: 'merge', body: { metadata: { annotations: { [forcedRemovalAnnotation]: 'true' } } } } as const;

describe('removing a cluster whose agent is gone', () => {
  it('ends when an administrator says that it is, add-ons before works', async () => {
    await startWithContent();
    const { clusters, addons, works, clusterRoles } = handlesOf(hub);
    await clusters.delete('c1');
    await hub.pass(86_400_000);
    expect(await deleting()).toEqual(['addon1']);
    hub.takeWrites();
    await clusters.patch('c1', force);
    await hub.quiet();
    const content = /PATCH namespaces\/c1\/(managedclusteraddons|manifestworks)\//;
    expect(hub.takeWrites().flatMap((write) => (content.test(write) ? [write.replace(content, '')] : []))).toEqual([
      'addon1',
      'work1',
      'work3',
      'work2',
    ]);
    expect([
      (await addons.list()).items,
      (await works.list()).items,
      (await clusterRoles.list({ labelSelector: 'open-cluster-management.io/cluster-name=c1' })).items,
    ]).toEqual([[], [], []]);
    expect(await clusters.find('c1')).toBeUndefined();
  });

  it('keeps the finalizers of others, and says who holds what is left', async () => {
    await startWithContent();
    const { clusters, works } = handlesOf(hub);
    const kept = newWork('c1', 'kept', { finalizers: [...foreign, ...finalizers] });
    await works.create(kept);
    await clusters.delete('c1');
    await clusters.patch('c1', force);
    await hub.quiet();
    const { metadata } = await works.get('c1/kept');
    expect([isDeleting({ metadata }), metadata?.finalizers]).toEqual([true, foreign]);
    expect((await condition())?.message).toContain('; the finalizers of others are kept: example.com/backup');
    hub.takeWrites();
    await hub.pass(60_000);
    expect(hub.takeWrites()).toEqual([]);
    await works.patch('c1/kept', free);
    await hub.quiet();
    expect(await clusters.find('c1')).toBeUndefined();
  });

  it('ends by itself where the hub has a timeout, also after a restart', async () => {
    await startWithContent({ options: { removalTimeoutMs: 3_600_000 } });
    const { clusters } = handlesOf(hub);
    await clusters.delete('c1');
    await hub.pass(3_000_000);
    await hub.restart();
    await hub.pass(599_000);
    expect(await clusters.find('c1')).toBeDefined();
    await hub.pass(1000);
    expect(await clusters.find('c1')).toBeUndefined();
  });

  it('does not end because the clock of the hub is set forward', async () => {
    await startWithContent({ options: { removalTimeoutMs: 3_600_000 } });
    const { clusters, works } = handlesOf(hub);
    await clusters.delete('c1');
    await hub.pass(60_000);
    hub.clock.jump(86_400_000);
    await works.patch('c1/work1', { type: 'merge', body: { metadata: { labels: { changed: 'yes' } } } });
    await hub.pass(60_000);
    expect((await works.get('c1/work1')).metadata?.finalizers).toEqual(finalizers);
    await hub.pass(3_480_000);
    expect(await clusters.find('c1')).toBeUndefined();
  });

  it('ends too without clean-up (ResourceCleanup is off)', async () => {
    await startWithContent({ gates: { ResourceCleanup: false } });
    const { clusters } = handlesOf(hub);
    await clusters.delete('c1');
    await hub.quiet();
    expect(await clusters.find('c1')).toBeDefined();
    await clusters.patch('c1', force);
    await hub.quiet();
    expect(await clusters.find('c1')).toBeUndefined();
  });

  it('means nothing on a cluster that is not being deleted', async () => {
    await startWithContent();
    await handlesOf(hub).clusters.patch('c1', force);
    await hub.quiet();
    expect(await deleting()).toEqual([]);
    expect(hub.takeWrites()).toEqual([]);
  });
});

describe('cleaning up after a cluster', () => {
  it('[registration-hub 16] holds every cluster, also one that waits for a decision', async () => {
    hub = await startHub();
    await handlesOf(hub).clusters.create(newCluster('c1'));
    await hub.quiet();
    const { metadata } = await handlesOf(hub).clusters.get('c1');
    expect(metadata?.finalizers).toContain('cluster.open-cluster-management.io/resource-cleanup');
  });

  it('[registration-hub 14, 112, 113] deletes add-ons, then works by priority, and says what remains', async () => {
    await startWithContent();
    const { clusters, addons, works, roleBindings } = handlesOf(hub);
    await clusters.delete('c1');
    await hub.quiet();
    expect(await deleting()).toEqual(['addon1']);
    expect(await condition()).toMatchObject({
      status: 'False',
      reason: 'ResourceRemaining',
      message:
        'The resource managedclusteraddons is remaning, the remaining count is 1, the finalizer pending count is 1',
    });
    // Silent while it waits.
    hub.takeWrites();
    await hub.pass(60_000);
    expect(hub.takeWrites().filter((write) => write.startsWith('DELETE'))).toEqual([]);

    await addons.patch('c1/addon1', free);
    await hub.quiet();
    expect(await deleting()).toEqual(['work1']);
    await works.patch('c1/work1', free);
    await hub.quiet();
    expect(await deleting()).toEqual(['work3']);
    expect((await condition())?.message).toBe(
      'The resource manifestworks is remaning, the remaining count is 2, the finalizer pending count is 2',
    );
    await works.patch('c1/work3', free);
    await hub.quiet();
    expect(await deleting()).toEqual(['work2']);
    await works.patch('c1/work2', free);
    await hub.quiet();
    expect(await clusters.find('c1')).toBeUndefined();
    expect((await roleBindings.list({ namespace: 'c1' })).items).toEqual([]);
  });

  it('[registration-hub 15] cleans up in the same order when the cluster went without its finalizers', async () => {
    await startWithContent();
    const { clusters, addons, works } = handlesOf(hub);
    await clusters.patch('c1', free);
    await clusters.delete('c1');
    // The hub puts finalizers back while the cluster lives, so force means: without them once it is deleted.
    if (await clusters.find('c1')) await clusters.patch('c1', free);
    await hub.quiet();
    expect(await clusters.find('c1')).toBeUndefined();
    expect(await deleting()).toEqual(['addon1']);
    await addons.patch('c1/addon1', free);
    await hub.quiet();
    expect(await deleting()).toEqual(['work1']);
    for (const work of ['work1', 'work3', 'work2']) {
      await works.patch(`c1/${work}`, free);
      await hub.quiet();
    }
    expect((await works.list()).items).toEqual([]);
    const { items } = await handlesOf(hub).clusterRoles.list({
      labelSelector: 'open-cluster-management.io/cluster-name=c1',
    });
    expect(items).toEqual([]);
  });

  it('[registration-hub 112] reports that nothing is left before it releases the cluster', async () => {
    hub = await startHub();
    const { clusters } = handlesOf(hub);
    await clusters.create(newCluster('c1', { metadata: { finalizers: foreign } }));
    await hub.quiet();
    await clusters.delete('c1');
    await hub.quiet();
    expect(await condition()).toMatchObject({
      status: 'True',
      reason: 'NoResource',
      message: 'No cleaned resource in cluster ns.',
    });
    expect((await clusters.get('c1')).metadata?.finalizers).toEqual(foreign);
  });

  it('[registration-hub 112] says which error keeps it from cleaning up', async () => {
    await startWithContent();
    hub.failWith(({ method, path }) => (method === 'DELETE' && path.includes('addons') ? 'Forbidden' : undefined));
    await handlesOf(hub).clusters.delete('c1');
    await hub.quiet();
    const said = await condition();
    expect(said).toMatchObject({ status: 'False', reason: 'DeletingError' });
    expect(said?.message).toMatch(/^failed to clean up managedclusteraddons\. err:/);
  });

  it('never touches a namespace that was not a cluster', async () => {
    hub = await startHub();
    const { namespaces, addons } = handlesOf(hub);
    await namespaces.create({ metadata: { name: 'c1' } });
    await addons.create(addOn('early'));
    await hub.quiet();
    expect(await addons.find('c1/early')).toBeDefined();
  });

  it('[registration-hub 115] skips a kind that the hub does not serve', async () => {
    const absent = { group: 'example.com', version: 'v1', kind: 'Gadget', plural: 'gadgets', namespaced: true };
    hub = await startHub({ options: { cleanup: [absent] } });
    const { clusters } = handlesOf(hub);
    await clusters.create(newCluster('c1'));
    await hub.quiet();
    await clusters.delete('c1');
    await hub.quiet();
    expect(await clusters.find('c1')).toBeUndefined();
  });

  it.each([
    ['W20: with nothing to clean up', { options: { cleanup: [] } }],
    ['W21: with its gate off', { gates: { ResourceCleanup: false } }],
  ])('[registration-hub 116] frees a cluster %s', async (_, input) => {
    hub = await startHub({
      ...input,
      prepare: async (plane) => {
        const held = newCluster('c1', { metadata: { finalizers: [Finalizer.ResourceCleanup] } });
        await handlesOf({ plane }).clusters.create(held);
      },
    });
    await handlesOf(hub).clusters.delete('c1');
    await hub.quiet();
    expect(await handlesOf(hub).clusters.find('c1')).toBeUndefined();
  });
});
