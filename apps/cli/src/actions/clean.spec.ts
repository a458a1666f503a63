import { managedClusters, NamespaceName } from '@flotilla/api-types';
import { configMaps, customResourceDefinitions, leases, namespaces, roleBindings } from '@flotilla/kube/kinds';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, bootstrapUser, register } from '../fixtures/agents.ts';
import { type CliWorld, startWorld } from '../fixtures/cli.ts';

/** The server removes the APIServices of definitions that are gone at its own pace. */
const ownPace = { timeout: 10_000 };

describe('flotilla clean', () => {
  let world: CliWorld<'hub'>;
  let before: string[];
  const hub = (...argv: string[]) => world.flotilla([...argv, '--kubeconfig', 'hub']);
  beforeAll(async () => {
    world = await startWorld('hub');
    before = await listAllObjects(world.planes.hub.client);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it('refuses a cluster that is not a hub', async () => {
    expect(await hub('clean')).toMatchObject({ code: 3, err: expect.stringContaining('not a hub') });
  });

  it('refuses a hub that has clusters, and names them [cli A55]', async () => {
    await hub('init', '--use-bootstrap-token');
    await register(world.planes.hub.client, 'cluster1');
    await ask(world.planes.hub.clientOf(bootstrapUser), 'cluster1');
    const { code, err } = await hub('clean');
    expect([code, err]).toEqual([3, expect.stringContaining('the hub still has clusters: cluster1')]);
  });

  it('says what it would remove, as text and as JSON, and removes nothing', async () => {
    const { out } = await hub('clean', '--force', '--dry-run');
    expect(out).toContain('Would remove ManagedCluster cluster1\n');
    const { removed } = JSON.parse((await hub('clean', '--force', '--dry-run', '-o', 'json')).out);
    expect(removed).toContain(`Namespace ${NamespaceName.Hub}`);
    expect(await world.planes.hub.client.resource(managedClusters).find('cluster1')).toBeDefined();
  });

  it('removes by force what a dead hub left, and leaves nothing behind', async () => {
    const { client } = world.planes.hub;
    const finalizers = ['cluster.open-cluster-management.io/api-resource-cleanup'];
    await client.resource(managedClusters).patch('cluster1', { type: 'merge', body: { metadata: { finalizers } } });
    await client.resource(namespaces).create({
      metadata: {
        name: 'cluster1',
        labels: { 'open-cluster-management.io/cluster-name': 'cluster1' },
        annotations: { 'open-cluster-management.io/created-by-hub': 'cluster1' },
      },
    });
    // The hub holds it until works are gone, and is dead.
    await client.resource(roleBindings).create({
      metadata: {
        namespace: 'cluster1',
        name: 'open-cluster-management:managedcluster:cluster1:work',
        finalizers: ['cluster.open-cluster-management.io/manifest-work-cleanup'],
      },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    });
    const { code, out } = await hub('clean', '--force');
    expect([code, out]).toEqual([0, expect.stringContaining('Removed ManagedCluster cluster1\n')]);
    expect(out).toContain('Removed ClusterRole open-cluster-management:bootstrap\n');
    expect(out).toContain('Removed Secret kube-system/bootstrap-token-ocmhub\n');
    await expect.poll(() => listAllObjects(client), ownPace).toEqual(before);
    expect((await hub('get', 'clusters')).code).toBe(3);
  });

  it('leaves the namespace of a cluster that the hub did not create, with all that is in it', async () => {
    const { client } = world.planes.hub;
    await hub('init');
    const clusterLabel = 'open-cluster-management.io/cluster-name';
    const labels = { [clusterLabel]: 'prod', team: 'shop' };
    // A copy of the manifest of another cluster's namespace says that the hub created that one, not this.
    const annotations = { 'open-cluster-management.io/created-by-hub': 'cluster1' };
    await client.resource(namespaces).create({ metadata: { name: 'prod', labels, annotations } });
    await client.resource(configMaps).create({ metadata: { namespace: 'prod', name: 'theirs' } });
    const role = 'open-cluster-management:managedcluster:prod:work';
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
    await client.resource(roleBindings).create({ metadata: { namespace: 'prod', name: role }, roleRef });
    await client.resource(roleBindings).create({ metadata: { namespace: 'prod', name: 'theirs' }, roleRef });
    const metadata = { namespace: 'prod', name: 'managed-cluster-lease', labels: { [clusterLabel]: 'prod' } };
    await client.resource(leases).create({ metadata });

    expect((await hub('clean', '--dry-run')).out).toContain(`Would remove label ${clusterLabel} of Namespace prod`);
    expect((await client.resource(namespaces).get('prod')).metadata?.labels).toMatchObject(labels);
    const { code, out, err } = await hub('clean');
    expect([code, out]).toEqual([0, expect.stringContaining(`Removed label ${clusterLabel} of Namespace prod\n`)]);
    expect(err).toContain('Namespace prod stays: nothing says that the hub created it.');
    const left = await client.resource(namespaces).get('prod');
    expect([left.metadata?.deletionTimestamp, left.metadata?.labels?.[clusterLabel]]).toEqual([undefined, undefined]);
    expect(left.metadata?.labels).toMatchObject({ team: 'shop' });
    expect(await client.resource(configMaps).find('prod/theirs')).toBeDefined();
    const bindings = (await client.resource(roleBindings).list({ namespace: 'prod' })).items;
    expect(bindings.map((binding) => binding.metadata?.name)).toEqual(['theirs']);
    expect(await client.resource(leases).find('prod/managed-cluster-lease')).toBeUndefined();
  });

  it('leaves what others created', async () => {
    const { client } = world.planes.hub;
    const { customResourceDefinitions: definitions } = await import('@flotilla/api-types/kinds');
    const theirs = definitions().find(({ metadata }) => metadata.name?.startsWith('managedclusters.'));
    await (await client.dynamic({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' })).create({
      ...theirs,
    });
    await client.resource(namespaces).create({ metadata: { name: 'open-cluster-management-hub' } });
    await hub('init');
    expect((await hub('clean')).code).toBe(0);
    expect(await client.resource(namespaces).find('open-cluster-management-hub')).toBeDefined();
    const left = await client.resource(customResourceDefinitions).list();
    expect(left.items.map(({ metadata }) => metadata?.name)).toEqual([theirs?.metadata.name]);
  });
});
