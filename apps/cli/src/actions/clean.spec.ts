import { managedClusters, NamespaceName } from '@flotilla/api-types';
import { customResourceDefinitions, namespaces } from '@flotilla/kube';
import { everything } from '@flotilla/kube/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, bootstrapUser, register } from '../fixtures/agents.ts';
import { type CliWorld, startWorld } from '../fixtures/cli.ts';

describe('flotilla clean', () => {
  let world: CliWorld<'hub'>;
  let before: string[];
  const hub = (...argv: string[]) => world.flotilla([...argv, '--kubeconfig', 'hub']);
  beforeAll(async () => {
    world = await startWorld('hub');
    before = await everything(world.planes.hub.client);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it('refuses a cluster that is no hub', async () => {
    expect(await hub('clean')).toMatchObject({ code: 3, err: expect.stringContaining('no hub') });
  });

  it('refuses a hub that has clusters, and names them [cli A55]', async () => {
    await hub('init', '--use-bootstrap-token');
    await register(world.planes.hub.client, 'cluster1');
    await ask(world.planes.hub.clientOf(bootstrapUser), 'cluster1');
    const { code, err } = await hub('clean');
    expect([code, err]).toEqual([3, expect.stringContaining('the hub still has clusters: cluster1')]);
  });

  it('says what it would remove, for people and for machines, and removes nothing', async () => {
    const { out } = await hub('clean', '--force', '--dry-run');
    expect(out).toContain('Would remove ManagedCluster cluster1\n');
    const { removed } = JSON.parse((await hub('clean', '--force', '--dry-run', '-o', 'json')).out);
    expect(removed).toContain(`Namespace ${NamespaceName.Hub}`);
    expect(await world.planes.hub.client.resource(managedClusters).find('cluster1')).toBeDefined();
  });

  it('takes away by force what a dead hub left, and leaves nothing behind', async () => {
    const { client } = world.planes.hub;
    const finalizers = ['cluster.open-cluster-management.io/api-resource-cleanup'];
    await client.resource(managedClusters).patch('cluster1', { type: 'merge', body: { metadata: { finalizers } } });
    await client.resource(namespaces).create({
      metadata: { name: 'cluster1', labels: { 'open-cluster-management.io/cluster-name': 'cluster1' } },
    });
    const { code, out } = await hub('clean', '--force');
    expect([code, out]).toEqual([0, expect.stringContaining('Removed ManagedCluster cluster1\n')]);
    expect(out).toContain('Removed ClusterRole open-cluster-management:bootstrap\n');
    expect(out).toContain('Removed Secret kube-system/bootstrap-token-ocmhub\n');
    expect(await everything(client)).toEqual(before);
    expect((await hub('get', 'clusters')).code).toBe(3);
  });

  it('leaves alone what somebody else made', async () => {
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
