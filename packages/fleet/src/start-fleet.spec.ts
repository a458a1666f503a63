import { defineAddon, health, kubeClient } from '@flotilla/addon-sdk';
import { managedClusterAddOns, manifestWorks } from '@flotilla/api-types';
import { isConditionTrue, KubeError } from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fleet, startFleet } from './index.ts';

const settings = defineAddon({
  name: 'settings',
  registration: [
    kubeClient({
      permissions: (agent) =>
        agent.inClusterNamespace([{ apiGroups: [''], resources: ['configmaps'], verbs: ['create'] }]),
    }),
  ],
  health: health.work(),
  render: ({ clusterName, installNamespace: namespace }) => [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace }, data: { clusterName } },
  ],
});

const local = defineAddon({
  name: 'local',
  health: health.work(),
  render: ({ installNamespace: namespace }) => [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'local', namespace } },
  ],
});

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet({ clusters: ['edge1', 'edge2'], addons: [settings, local] });
});
afterAll(() => fleet[Symbol.asyncDispose]());

describe('a fleet in one process', () => {
  it('applies a work on a managed cluster, and on no other', async () => {
    const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'hello' } };
    const works = fleet.hub.resource(manifestWorks);
    await works.create({ metadata: { namespace: 'edge1', name: 'w' }, spec: { workload: { manifests: [manifest] } } });
    await fleet.until(works, 'edge1/w', ({ status }) => isConditionTrue(status?.conditions, 'Available'));
    expect(await fleet.managed('edge1').resource(configMaps).find('default/hello')).toBeDefined();
    expect(await fleet.managed('edge2').resource(configMaps).find('default/hello')).toBeUndefined();
  });

  it('names its clusters to a test that asks for another', () => {
    expect(() => fleet.managed('nope')).toThrow('the fleet has no cluster nope; it has edge1, edge2');
  });

  it('says how an object was last that does not become as expected', async () => {
    const works = fleet.hub.resource(manifestWorks);
    const waiting = fleet.until(works, 'edge1/nope', undefined, { timeoutMs: 1 });
    await expect(waiting).rejects.toThrow('edge1/nope is not as expected after 0.001s: it is not there');
  });

  it('says at once that the agent of an add-on has no access to the hub', async () => {
    await fleet.enable('local', { clusters: ['edge2'] });
    await expect(fleet.agentHub('local', 'edge2')).rejects.toThrow(
      'the agent of add-on local has no access to the hub: add kubeClient() to registration in its definition',
    );
    await fleet.disable('local', { clusters: ['edge2'] });
  });

  it('says at once that an add-on is not there or not enabled, whose agent a test asks for', async () => {
    await expect(fleet.agentHub('typo', 'edge1')).rejects.toThrow(
      'the hub offers no add-on typo; it offers local, settings',
    );
    await expect(fleet.agentHub('settings', 'edge2')).rejects.toThrow(
      "add-on settings is not enabled on edge2: call fleet.enable('settings') first",
    );
  });

  it('enables an add-on where it is wanted, lets its agent do there what it may, and disables it', async () => {
    await expect(fleet.whenAvailable('settings')).rejects.toThrow('add-on settings is enabled on no cluster');
    await fleet.enable('settings', { clusters: ['edge1'] });
    await fleet.whenAvailable('settings');
    const key = 'open-cluster-management-agent-addon/settings';
    await fleet.until(fleet.managed('edge1').resource(configMaps), key, ({ data }) => data?.clusterName === 'edge1');
    const agent = (await fleet.agentHub('settings', 'edge1')).resource(configMaps);
    await agent.create({ metadata: { namespace: 'edge1', name: 'report' } });
    const beyond = agent.create({ metadata: { namespace: 'edge2', name: 'report' } });
    await expect(beyond).rejects.toSatisfy((error: unknown) => KubeError.is(error, 'Forbidden'));
    await fleet.disable('settings', { clusters: ['edge1'] });
    expect((await fleet.hub.resource(managedClusterAddOns).list()).items).toEqual([]);
    await expect.poll(() => fleet.managed('edge1').resource(configMaps).find(key)).toBeUndefined();
  });
});
