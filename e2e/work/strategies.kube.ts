import { manifestWorks } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import { configMaps, deployments, pods } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { beforeAll, expect, it } from 'vitest';
import { configMap, configOf, helloPod } from './manifests.ts';
import { onEachServer } from './suite.ts';
import { appliedWorkOf, clusterName, manifestOf } from './work-world.ts';

const ownersOf = (object: KubeObject | undefined) => object?.metadata?.ownerReferences ?? [];

onEachServer((world) => {
  beforeAll(() => {
    world().startAgent();
  });

  it('a work with one pod: the pod is there, the hub knows, and it goes with the work', async () => {
    const { managed, create, synced, remove, gone, onManaged } = world();
    const work = await synced(await create('hello', [helloPod()]));
    const pod = await managed.resource(pods).get('default/hello');
    expect(pod.spec?.containers[0]?.image).toBe('busybox');
    expect(ownersOf(pod)).toMatchObject([
      { kind: 'AppliedManifestWork', name: expect.stringMatching(/^[0-9a-f]{64}-hello$/) },
    ]);
    expect(manifestOf(work)?.resourceMeta).toEqual({
      ordinal: 0,
      group: '',
      version: 'v1',
      kind: 'Pod',
      resource: 'pods',
      namespace: 'default',
      name: 'hello',
    });
    expect((await appliedWorkOf(world(), 'hello'))?.status?.appliedResources).toEqual([
      { group: '', version: 'v1', resource: 'pods', namespace: 'default', name: 'hello', uid: pod.metadata?.uid },
    ]);

    await remove('hello');
    await gone('hello');
    // A real one has a grace period that only a kubelet ends; the work is gone because the pod was deleted.
    await onManaged.gone(pods, 'default/hello');
    expect(await appliedWorkOf(world(), 'hello')).toBeUndefined();
  });

  it('Update: what the hub changes is changed, and what others added stays', async () => {
    const { managed, create, change, synced } = world();
    const maps = managed.resource(configMaps);
    await synced(await create('update', [configMap('update', { a: '1' })]));
    await maps.patch('default/update', { type: 'merge', body: { metadata: { labels: { team: 'blue' } } } });
    await synced(await change('update', { workload: { manifests: [configMap('update', { a: '2', b: '3' })] } }));
    const { data, metadata } = await maps.get('default/update');
    expect(data).toEqual({ a: '2', b: '3' });
    expect(metadata?.labels).toEqual({ team: 'blue' });
  });

  it('CreateOnly: what is there is never changed', async () => {
    const { managed, create, change, synced } = world();
    const maps = managed.resource(configMaps);
    const manifestConfigs = [
      configOf('configmaps', 'create-only', { updateStrategy: { type: 'CreateOnly' as const } }),
    ];
    await synced(await create('create-only', [configMap('create-only', { a: '1' })], { manifestConfigs }));
    const changed = { workload: { manifests: [configMap('create-only', { a: '2' })] } };
    await synced(await change('create-only', changed));
    expect((await maps.get('default/create-only')).data).toEqual({ a: '1' });
  });

  it('ServerSideApply: a field of another manager is a conflict that names it, and is taken by force', async () => {
    const { managed, create, change, synced, until } = world();
    const maps = managed.resource(configMaps);
    const theirs = { ...configMap('shared', { a: 'theirs' }), apiVersion: 'v1', kind: 'ConfigMap' };
    await maps.apply(theirs, { fieldManager: 'somebody' });
    const strategy = (force: boolean) => [
      configOf('configmaps', 'shared', {
        updateStrategy: { type: 'ServerSideApply' as const, serverSideApply: { force } },
      }),
    ];
    await create('shared', [configMap('shared', { a: 'ours' })], { manifestConfigs: strategy(false) });
    const refused = await until('shared', 'a conflict', (work) => {
      const condition = findCondition(manifestOf(work)?.conditions, 'Applied');
      return condition?.status === 'False';
    });
    expect(findCondition(manifestOf(refused)?.conditions, 'Applied')).toMatchObject({
      reason: 'AppliedManifestFailed',
      message: expect.stringContaining('somebody'),
    });
    await synced(await change('shared', { manifestConfigs: strategy(true) }));
    expect((await maps.get('default/shared')).data).toEqual({ a: 'ours' });
  });

  it('ServerSideApply with ignored fields: replicas belong to the cluster once it has them', async () => {
    const { managed, create, change, synced, onManaged } = world();
    const handle = managed.resource(deployments);
    const deployment = (image: string) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: 'default', name: 'scaled' },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'scaled' } },
        template: { metadata: { labels: { app: 'scaled' } }, spec: { containers: [{ name: 'c', image }] } },
      },
    });
    const manifestConfigs = [
      configOf(
        'deployments',
        'scaled',
        {
          updateStrategy: {
            type: 'ServerSideApply' as const,
            serverSideApply: {
              force: true,
              ignoreFields: [{ condition: 'OnSpokePresent' as const, jsonPaths: ['.spec.replicas'] }],
            },
          },
        },
        'apps',
      ),
    ];
    await synced(await create('scaled', [deployment('busybox:1')], { manifestConfigs }));
    expect((await handle.get('default/scaled')).spec?.replicas).toBe(1);
    await handle.patch('default/scaled', { type: 'merge', body: { spec: { replicas: 4 } } });
    await synced(await change('scaled', { workload: { manifests: [deployment('busybox:2')] } }));
    const now = await onManaged.until(
      deployments,
      'the new image',
      ({ metadata, spec }) => metadata?.name === 'scaled' && spec?.template.spec?.containers[0]?.image === 'busybox:2',
    );
    expect(now.spec?.replicas).toBe(4);
  });

  it('ReadOnly: nothing is written, feedback comes, and the object survives the work', async () => {
    const { managed, create, synced, remove, gone } = world();
    const maps = managed.resource(configMaps);
    await maps.create({ metadata: { namespace: 'default', name: 'foreign' }, data: { colour: 'red' } });
    const manifestConfigs = [
      configOf('configmaps', 'foreign', {
        updateStrategy: { type: 'ReadOnly' as const },
        feedbackRules: [{ type: 'JSONPaths' as const, jsonPaths: [{ name: 'colour', path: '.data.colour' }] }],
      }),
    ];
    const work = await synced(
      await create('read-only', [configMap('foreign', { colour: 'blue' })], { manifestConfigs }),
    );
    expect(manifestOf(work)?.statusFeedback?.values).toEqual([
      { name: 'colour', fieldValue: { type: 'String', string: 'red' } },
    ]);
    await remove('read-only');
    await gone('read-only');
    const left = await maps.get('default/foreign');
    expect(left.data).toEqual({ colour: 'red' });
    expect(ownersOf(left)).toEqual([]);
  });

  it('Orphan and SelectivelyOrphan: what is orphaned stays, without our mark', async () => {
    const { managed, create, synced, remove, gone } = world();
    const maps = managed.resource(configMaps);
    await synced(await create('orphan', [configMap('orphan')], { deleteOption: { propagationPolicy: 'Orphan' } }));
    const orphaningRules = [{ group: '', resource: 'configmaps', namespace: 'default', name: 'kept' }];
    await synced(
      await create('selective', [configMap('kept'), configMap('dropped')], {
        deleteOption: { propagationPolicy: 'SelectivelyOrphan', selectivelyOrphans: { orphaningRules } },
      }),
    );
    for (const name of ['orphan', 'selective']) {
      await remove(name);
      await gone(name);
    }
    for (const name of ['orphan', 'kept']) expect(ownersOf(await maps.get(`default/${name}`))).toEqual([]);
    expect(await maps.find('default/dropped')).toBeUndefined();
  });

  it('a manifest that is taken out of a work is taken from the cluster, and an object of two works stays with the other', async () => {
    const { managed, create, change, synced, onManaged, remove, gone } = world();
    const maps = managed.resource(configMaps);
    await synced(await create('first-owner', [configMap('both'), configMap('own')]));
    await synced(await create('second-owner', [configMap('both')]));
    expect(ownersOf(await maps.get('default/both'))).toHaveLength(2);
    await synced(await change('first-owner', { workload: { manifests: [configMap('both')] } }));
    await onManaged.gone(configMaps, 'default/own');
    await remove('first-owner');
    await gone('first-owner');
    expect(ownersOf(await maps.get('default/both'))).toMatchObject([{ name: expect.stringMatching(/-second-owner$/) }]);
  });

  it('a work as large as one may be is applied whole', async () => {
    const { managed, create, synced } = world();
    const names = Array.from({ length: 100 }, (_, index) => `large-${index}`);
    await synced(
      await create(
        'large',
        names.map((name) => configMap(name, { text: 'x'.repeat(4900) })),
      ),
    );
    const { items } = await managed.resource(configMaps).list({ namespace: 'default' });
    const texts = items.filter(({ metadata }) => names.includes(metadata?.name ?? '')).map(({ data }) => data?.text);
    expect(texts).toEqual(names.map(() => 'x'.repeat(4900)));
  });

  it('a bad manifest says what is wrong with it, and the good ones of its work are applied', async () => {
    const { managed, create, until, hub } = world();
    const nameless = {
      apiVersion: 'nothing.example/v1',
      kind: 'Nothing',
      metadata: { name: 'x', namespace: 'default' },
    };
    const invalid = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace: 'default', name: 'Not_A_Name' },
      spec: {},
    };
    await create('mixed', [nameless, invalid, configMap('good', { a: '1' })]);
    const work = await until(
      'mixed',
      'all three reported',
      ({ status }) => status?.resourceStatus?.manifests?.length === 3,
    );
    const applied = (ordinal: number) => findCondition(manifestOf(work, ordinal)?.conditions, 'Applied');
    expect(applied(0)?.message).toContain('the server doesn\'t have a resource type "Nothing"');
    expect(applied(1)?.message).toContain('Not_A_Name');
    expect(applied(2)?.status).toBe('True');
    expect((await managed.resource(configMaps).get('default/good')).data).toEqual({ a: '1' });
    await hub.resource(manifestWorks).delete(`${clusterName}/mixed`);
  });
});
