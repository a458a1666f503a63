import { addOnTemplates, clusterManagementAddOns, managedClusterAddOns, managedClusters } from '@flotilla/api-types';
import { configMaps, namespaces } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliWorld, startWorld } from '../fixtures/cli.ts';

let world: CliWorld<'hub'>;
const explain = (...argv: string[]) => world.flotilla(['explain', 'addon', ...argv, '--kubeconfig', 'hub']);
const client = () => world.planes.hub.client;

beforeAll(async () => {
  world = await startWorld('hub');
  await world.flotilla(['init', '--kubeconfig', 'hub']);
  const spec = { hubAcceptsClient: true };
  await client()
    .resource(managedClusters)
    .create({ metadata: { name: 'c1' }, spec });
  await client()
    .resource(namespaces)
    .create({ metadata: { name: 'c1' } });
  const defaultConfigs = [{ resource: 'configmaps', namespace: 'default', name: 'settings' }];
  await client()
    .resource(clusterManagementAddOns)
    .create({ metadata: { name: 'hello' }, spec: { defaultConfigs } });
});
afterAll(() => world[Symbol.asyncDispose]());

describe('flotilla explain addon', () => {
  it.each([
    ['no name', [], 2, 'the name of the add-on must be specified'],
    ['an add-on that is not there', ['nope'], 1, 'there is no add-on nope on this hub'],
    ['an add-on that is on no cluster', ['hello'], 1, 'Name the cluster that should have it: --cluster.'],
    ['an unknown cluster', ['hello', '-c', 'nope'], 3, 'there is no ManagedCluster nope'],
  ])('refuses %s', async (_, argv, code, message) => {
    expect(await explain(...argv)).toMatchObject({ code, err: expect.stringContaining(message) });
  });

  it('explains why a cluster does not have an add-on', async () => {
    const { code, out } = await explain('hello', '-c', 'c1');
    expect(code).toBe(0);
    expect(out).toContain('Add-on hello on c1 is not there\n');
    expect(out).toContain('configmaps default/settings, from the defaults of ClusterManagementAddOn hello: missing\n');
  });

  it('reads the configurations of any kind, and prints all of it as data', async () => {
    await client()
      .resource(managedClusterAddOns)
      .create({ metadata: { namespace: 'c1', name: 'hello' }, spec: {} });
    await client()
      .resource(configMaps)
      .create({ metadata: { namespace: 'default', name: 'settings' } });
    const [explanation] = JSON.parse((await explain('hello', '-o', 'json')).out);
    expect(explanation).toMatchObject({
      addOn: 'hello',
      cluster: 'c1',
      configs: [{ layer: 'default', exists: true, state: 'not given to the cluster yet' }],
      waitsFor: 'cluster c1: it has not joined yet',
    });
  });

  it('explains an add-on whose default only says which kind it supports, as generated projects have it', async () => {
    const adc = { group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs' };
    const templates = { group: adc.group, resource: 'addontemplates' };
    await client()
      .resource(clusterManagementAddOns)
      .create({
        metadata: { name: 'fresh' },
        spec: {
          defaultConfigs: [
            { ...adc, name: '__reserved_no_default__' },
            // Some guides name a namespace that the kind does not have.
            { ...templates, namespace: 'default', name: 'fresh-1' },
          ],
        },
      });
    // In a kind with namespaces, no object has this name.
    const spec = { configs: [{ ...adc, name: 'nowhere' }] };
    await client()
      .resource(managedClusterAddOns)
      .create({ metadata: { namespace: 'c1', name: 'fresh' }, spec });
    await client()
      .resource(addOnTemplates)
      .create({
        metadata: { name: 'fresh-1' },
        spec: { addonName: 'fresh', agentSpec: { workload: { manifests: [] } } },
      });
    const { code, out, err } = await explain('fresh');
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('addontemplates fresh-1, from the defaults of ClusterManagementAddOn fresh: not given');
    expect(out).toContain('addondeploymentconfigs nowhere, from ManagedClusterAddOn c1/fresh: missing');
    expect(out).not.toContain('__reserved_no_default__');
  });
});
