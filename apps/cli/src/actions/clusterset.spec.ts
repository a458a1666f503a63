import { Label, managedClusterSetBindings, managedClusterSets, managedClusters } from '@flotilla/api-types';
import { namespaces } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { register } from '../fixtures/agents.ts';
import { type CliWorld, startWorld } from '../fixtures/cli.ts';

let world: CliWorld<'hub'>;
const hub = (...argv: string[]) => world.flotilla([...argv, '--kubeconfig', 'hub']);
const client = () => world.planes.hub.client;

beforeAll(async () => {
  world = await startWorld('hub');
  await hub('init');
  for (const name of ['cluster1', 'cluster2']) await register(client(), name);
  await client()
    .resource(namespaces)
    .create({ metadata: { name: 'team' } });
});
afterAll(() => world[Symbol.asyncDispose]());

describe('cluster sets', () => {
  it.each([
    ['create', 'clusterset'],
    ['delete', 'clusterset'],
    ['clusterset', 'bind'],
    ['clusterset', 'unbind'],
  ])('need one name: %s %s', async (...command) => {
    expect(await hub(...command)).toMatchObject({
      code: 2,
      err: expect.stringContaining('the name of the clusterset must be specified'),
    });
    expect(await hub(...command, 'a', 'b')).toMatchObject({ code: 2 });
  });

  it('are created once', async () => {
    expect(await hub('create', 'clusterset', 'prod', '--dry-run')).toMatchObject({
      code: 0,
      out: 'Clusterset prod is created (dry run)\n',
    });
    expect(await client().resource(managedClusterSets).find('prod')).toBeUndefined();
    expect((await hub('create', 'clusterset', 'prod')).out).toBe('Clusterset prod is created\n');
    expect((await hub('create', 'clusterset', 'prod')).out).toBe('Clusterset prod is already created\n');
    expect((await client().resource(managedClusterSets).get('prod')).spec?.clusterSelector?.selectorType).toBe(
      'ExclusiveClusterSetLabel',
    );
  });

  it('take clusters and managed namespaces', async () => {
    expect(await hub('clusterset', 'set', 'prod')).toMatchObject({
      code: 2,
      err: expect.stringContaining('at least one cluster (--clusters) or namespace (--namespaces) must be specified'),
    });
    expect(await hub('clusterset', 'set', 'prod', '--clusters', 'cluster1,nope')).toMatchObject({ code: 3 });
    expect(await hub('clusterset', 'set', 'nope', '--clusters', 'cluster1')).toMatchObject({
      code: 3,
      err: expect.stringContaining('there is no cluster set nope'),
    });
    const setOf = async (name: string) =>
      (await client().resource(managedClusters).get(name)).metadata?.labels?.[Label.ClusterSet];
    const before = await setOf('cluster1');
    const { out } = await hub('clusterset', 'set', 'prod', '--clusters', 'cluster1', '--namespaces', 'shop');
    expect(out).toBe(
      [
        before
          ? `Cluster cluster1 is set, from ClusterSet ${before} to Clusterset prod`
          : 'Cluster cluster1 is set to Clusterset prod',
        'Namespace shop is set as a managed namespace of Clusterset prod',
        '',
      ].join('\n'),
    );
    expect(await setOf('cluster1')).toBe('prod');
    const again = await hub('clusterset', 'set', 'prod', '--clusters', 'cluster1', '--namespaces', 'shop');
    expect(again.out).toBe(
      'Cluster cluster1 is already in Clusterset prod\nNamespace shop is already a managed namespace of Clusterset prod\n',
    );
  });

  it('take no clusters if they select them by their labels', async () => {
    const clusterSelector = { selectorType: 'LabelSelector', labelSelector: {} } as const;
    await client()
      .resource(managedClusterSets)
      .create({ metadata: { name: 'everywhere' }, spec: { clusterSelector } });
    expect(await hub('clusterset', 'set', 'everywhere', '--clusters', 'cluster1')).toMatchObject({
      code: 3,
      err: expect.stringContaining('selects its clusters by their labels'),
    });
  });

  it('are bound to namespaces that are there, displayed, and deleted when they are not bound any more', async () => {
    expect(await hub('clusterset', 'bind', 'prod', '-n', 'nope')).toMatchObject({
      code: 3,
      err: expect.stringContaining('there is no namespace nope'),
    });
    const bind = () => hub('clusterset', 'bind', 'prod', '--namespace', 'team');
    expect((await bind()).out).toBe('Clusterset prod is bound to Namespace team\n');
    expect((await bind()).out).toBe('Clusterset prod is already bound to Namespace team\n');
    expect(await client().resource(managedClusterSetBindings).get('team/prod')).toMatchObject({
      spec: { clusterSet: 'prod' },
    });

    const { out } = await hub('get', 'clustersets', 'prod');
    expect(out).toBe(
      'NAME   BOUND NAMESPACES   STATUS   MANAGED NAMESPACES\nprod   team                        shop\n',
    );
    expect((await hub('get', 'clusterset', '-o', 'name')).out.split('\n')).toContain(
      'managedclusterset.cluster.open-cluster-management.io/prod',
    );
    expect(JSON.parse((await hub('get', 'clustersets', 'prod', '-o', 'json')).out).items).toHaveLength(1);
    expect(await hub('get', 'clustersets', 'nope')).toMatchObject({ code: 1 });

    expect(await hub('delete', 'clusterset', 'default')).toMatchObject({
      code: 3,
      err: expect.stringContaining('Clusterset default can not be deleted'),
    });
    expect(await hub('delete', 'clusterset', 'prod')).toMatchObject({
      code: 3,
      err: expect.stringContaining('Clusterset prod still bind to a namespace: team'),
    });
    const unbind = () => hub('clusterset', 'unbind', 'prod', '--namespace', 'team');
    expect((await unbind()).out).toBe('Clusterset prod is unbind from namespace team\n');
    expect((await unbind()).code).toBe(0);
    expect((await hub('delete', 'clusterset', 'prod')).out).toBe('Clusterset prod is deleted\n');
    expect((await hub('delete', 'clusterset', 'prod')).out).toBe('Clusterset prod is already deleted\n');
  });
});
