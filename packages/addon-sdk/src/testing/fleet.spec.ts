import { addOnDeploymentConfigs, managedClusterAddOns } from '@flotilla/api-types';
import { configMaps, deployments, jobs } from '@flotilla/kube/kinds';
import { expect, it } from 'vitest';
import { hook, orphan } from '../author/marks.ts';
import { config } from '../definition/config.ts';
import { defineAddon } from '../definition/define-addon.ts';
import { health } from '../definition/health.ts';
import { kubeClient } from '../definition/registration.ts';
import { configMap, deployment, job } from '../fixtures/objects.ts';
import { startFleet } from './fleet.ts';

const netprobe = defineAddon({
  name: 'netprobe',
  configs: { deploy: config.deployment() },
  registration: [kubeClient()],
  health: health.workloads(),
  render: ({ clusterName, variables }) => [
    deployment('agent'),
    orphan(configMap('kept')),
    configMap('settings', { cluster: clusterName, ...variables() }),
    hook.preDelete(job('clean')),
  ],
});

it('a fleet runs an add-on on each cluster, and removes it after its hook', async () => {
  await using fleet = await startFleet({ addons: [netprobe], clusters: 2 });
  const metadata = { namespace: 'default', name: 'settings' };
  const spec = { customizedVariables: [{ name: 'LEVEL', value: 'debug' }] };
  await fleet.hub.resource(addOnDeploymentConfigs).create({ metadata, spec });
  const group = 'addon.open-cluster-management.io';
  await fleet.enable('netprobe', { configs: [{ group, resource: 'addondeploymentconfigs', ...metadata }] });
  await fleet.whenAvailable('netprobe');
  for (const { name, client } of fleet.clusters) {
    expect((await client.resource(configMaps).get('default/settings')).data).toEqual({ cluster: name, LEVEL: 'debug' });
    expect((await client.resource(deployments).get('default/agent')).status?.readyReplicas).toBe(1);
    expect(await client.resource(jobs).find('default/clean')).toBeUndefined();
  }
  await fleet.disable('netprobe', { clusters: ['cluster1'] });
  expect(await fleet.hub.resource(managedClusterAddOns).find('cluster1/netprobe')).toBeUndefined();
  const [first, second] = fleet.clusters;
  await expect.poll(() => first?.client.resource(deployments).find('default/agent')).toBeUndefined();
  expect(await first?.client.resource(configMaps).find('default/settings')).toBeUndefined();
  expect(await first?.client.resource(configMaps).find('default/kept')).toBeDefined();
  expect(await second?.client.resource(deployments).find('default/agent')).toBeDefined();
});

it('a fleet says why an add-on is not available', async () => {
  const broken = defineAddon({
    name: 'broken',
    health: health.workloads(),
    render: () => {
      throw new Error('no image');
    },
  });
  await using fleet = await startFleet({ addons: [broken] });
  await fleet.enable('broken');
  await expect(fleet.whenAvailable('broken', { timeoutMs: 500 })).rejects.toThrow(
    'add-on broken on cluster cluster1: no image',
  );
  await expect(fleet.enable('broken', { clusters: ['moon'] })).rejects.toThrow(
    'the fleet has no cluster moon; it has cluster1',
  );
});
