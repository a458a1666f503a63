import { findCondition } from '@flotilla/kube';
import {
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  namespaces,
  secrets,
  serviceAccounts,
} from '@flotilla/kube/kinds';
import type { ResourceType } from '@flotilla/schema';
import { expect, it } from 'vitest';
import { configMap, definition, instance } from './manifests.ts';
import { onEachServer } from './suite.ts';
import { appliedWorkOf, manifestOf } from './work-world.ts';

const boats: ResourceType = {
  group: 'e2e.flotilla.example',
  version: 'v1',
  kind: 'Boat',
  plural: 'boats',
  namespaced: true,
};

onEachServer((world) => {
  it('an object that is edited or deleted behind the back of the agent is as it was', async () => {
    await using _agent = world().startAgent();
    const { managed, create, synced, onManaged } = world();
    const maps = managed.resource(configMaps);
    await synced(await create('drift', [configMap('drift', { a: '1' })]));
    const { metadata } = await maps.get('default/drift');
    await maps.patch('default/drift', { type: 'merge', body: { data: { a: 'other', b: 'more' } } });
    await onManaged.until(
      configMaps,
      'the edit undone',
      (map) =>
        map.metadata?.name === 'drift' &&
        map.data?.a === '1' &&
        map.metadata.resourceVersion !== metadata?.resourceVersion,
    );
    await maps.delete('default/drift');
    const again = await onManaged.until(
      configMaps,
      'the object again',
      (map) => map.metadata?.name === 'drift' && map.metadata.uid !== metadata?.uid,
    );
    expect(again.data).toEqual({ a: '1' });
  });

  it('a definition and its object come in one work, in any order', async () => {
    await using _agent = world().startAgent();
    const { managed, create, synced } = world();
    await synced(await create('together', [instance('Boat', 'one', 3), definition('boats', 'Boat')]));
    expect(await managed.resource(boats).get('default/one')).toMatchObject({ spec: { size: 3 } });
  });

  it('an object whose definition is in another work waits for it and is applied when it comes', async () => {
    await using _agent = world().startAgent();
    const { create, synced, until } = world();
    const work = await create('instance', [instance('Raft', 'one')]);
    const waiting = await until('instance', 'not applied', (now) => {
      return findCondition(manifestOf(now)?.conditions, 'Applied')?.status === 'False';
    });
    expect(findCondition(manifestOf(waiting)?.conditions, 'Applied')?.message).toContain('"Raft"');
    await synced(await create('definition', [definition('rafts', 'Raft')]));
    await synced(work);
  });

  it('an object whose namespace is missing is applied when the namespace comes', async () => {
    await using _agent = world().startAgent();
    const { create, synced, until, managed } = world();
    const work = await create('homeless', [configMap('homeless', {}, 'later')]);
    await until('homeless', 'not applied', (now) => {
      return findCondition(manifestOf(now)?.conditions, 'Applied')?.message.includes('later') ?? false;
    });
    await managed.resource(namespaces).create({ metadata: { name: 'later' } });
    await synced(work);
  });

  it('an executor applies what it may: granted, revoked, granted', async () => {
    await using _agent = world().startAgent();
    const { create, change, synced, until, managed } = world();
    const bindings = managed.resource(clusterRoleBindings);
    await managed.resource(serviceAccounts).create({ metadata: { namespace: 'default', name: 'deputy' } });
    const verbs = ['create', 'update', 'patch', 'get', 'delete'];
    await managed.resource(clusterRoles).create({
      metadata: { name: 'deputy' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs }],
    });
    const grant = () =>
      bindings.create({
        metadata: { name: 'deputy' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'deputy' },
        subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'deputy' }],
      });
    const executor = {
      subject: { type: 'ServiceAccount' as const, serviceAccount: { namespace: 'default', name: 'deputy' } },
    };
    const refused = (name: string) =>
      until(name, 'refused', (work) => {
        const condition = findCondition(manifestOf(work)?.conditions, 'Applied');
        return condition?.status === 'False' && condition.message.includes('not allowed to apply the resource');
      });

    const work = await create('executed', [configMap('executed', { a: '1' })], { executor });
    await refused('executed');
    await grant();
    await synced(work);
    await bindings.delete('deputy');
    const changed = await change('executed', { workload: { manifests: [configMap('executed', { a: '2' })] } });
    await refused('executed');
    expect((await managed.resource(configMaps).get('default/executed')).data).toEqual({ a: '1' });
    await grant();
    await synced(changed);
    expect((await managed.resource(configMaps).get('default/executed')).data).toEqual({ a: '2' });
  });

  it('an executor that cannot read a secret gets nothing of it by rules', async () => {
    await using _agent = world().startAgent();
    const { create, until, managed } = world();
    const metadata = { namespace: 'default', name: 'bait' };
    await managed.resource(secrets).create({ metadata, stringData: { password: 'top' } });
    await managed.resource(serviceAccounts).create({ metadata: { namespace: 'default', name: 'powerless' } });
    const executor = {
      subject: { type: 'ServiceAccount' as const, serviceAccount: { namespace: 'default', name: 'powerless' } },
    };
    await create('spying', [{ apiVersion: 'v1', kind: 'Secret', metadata }], {
      executor,
      manifestConfigs: [
        {
          resourceIdentifier: { group: '', resource: 'secrets', ...metadata },
          updateStrategy: { type: 'ReadOnly' },
          feedbackRules: [{ type: 'JSONPaths', jsonPaths: [{ name: 'password', path: '.data.password' }] }],
        },
      ],
    });
    const work = await until('spying', 'the reason reported', (now) => {
      const condition = findCondition(manifestOf(now)?.conditions, 'StatusFeedbackSynced');
      return condition?.message.includes('the executor is not allowed to get the resource') ?? false;
    });
    expect(JSON.stringify(work.status)).not.toContain(Buffer.from('top').toString('base64'));
  });

  it('a work that is changed and one that is deleted while the agent is down are dealt with when it is back', async () => {
    const { create, change, synced, remove, gone, managed } = world();
    const first = world().startAgent();
    await synced(await create('changed', [configMap('changed', { a: '1' })]));
    await synced(await create('deleted', [configMap('deleted')]));
    await first.end('SIGKILL');
    const changed = await change('changed', { workload: { manifests: [configMap('changed', { a: '2' })] } });
    await remove('deleted');
    await using _second = world().startAgent();
    await synced(changed);
    await gone('deleted');
    expect(await managed.resource(configMaps).find('default/deleted')).toBeUndefined();
    expect(await appliedWorkOf(world(), 'deleted')).toBeUndefined();
  });

  it('an agent that starts again writes nothing that has not changed', async () => {
    const { create, synced, managed, hub, onManaged } = world();
    const first = world().startAgent();
    const work = await synced(await create('still', [configMap('still', { a: '1' })]));
    await first.end();
    const before = await managed.resource(configMaps).get('default/still');
    using recording = await onManaged.record(configMaps, ({ metadata }) => metadata?.name === 'still');
    await using _second = world().startAgent();
    // Works are reconciled in order of their names: when a later one is applied, this one has been reconciled.
    await synced(await create('zz-after-still', [configMap('zz-after-still')]));
    expect(recording.changes).toEqual([]);
    expect((await managed.resource(configMaps).get('default/still')).metadata?.resourceVersion).toBe(
      before.metadata?.resourceVersion,
    );
    const handle = await hub.dynamic({ apiVersion: 'work.open-cluster-management.io/v1', kind: 'ManifestWork' });
    expect((await handle.get('cluster1/still')).metadata?.resourceVersion).toBe(work.metadata?.resourceVersion);
  });
});
